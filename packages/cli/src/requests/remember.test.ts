import type { Request } from '@agent-mux/api';
import { describe, expect, it } from 'vitest';
import { allowing, denying } from './answers.ts';
import { readRemember } from './remember.ts';

const given = (flags: Record<string, string>) => ({ flags, words: [] });
const envelope = { runId: 'r', agent: 'demo', turnIndex: 0, seq: 1, timestamp: 1 };
const request = (event: Record<string, unknown>): Request => ({
  id: 'r1',
  sessionId: 's1',
  agent: 'demo',
  launch: 1,
  requestId: 'q',
  kind: 'approval',
  event: { ...envelope, requestId: 'q', ...event },
  state: 'open',
  outcome: null,
  by: null,
  answer: null,
  laterUntil: null,
  createdAt: 1,
  resolvedAt: null,
  rev: 1,
});
const approval = request({ type: 'approval_request', toolName: 'x', title: 'x', kind: 'execute', options: [] });
const question = request({ type: 'input_required', questions: [] });

describe('--remember', () => {
  it('goes with the answer, with a pattern or without', () => {
    const remember = readRemember(given({ remember: 'project', pattern: 'npm *' }));
    expect(remember).toEqual({ scope: 'project', pattern: 'npm *' });
    expect(allowing(approval, { always: false, remember })).toEqual({ decision: 'allow', remember });
    expect(denying(approval, { reason: 'no', remember })).toEqual({ decision: 'deny', message: 'no', remember });
    expect(readRemember(given({}))).toBeUndefined();
  });

  it('is refused where it means nothing', () => {
    expect(() => readRemember(given({ remember: 'always' }))).toThrow('does not know "always"');
    expect(() => readRemember(given({ pattern: 'x' }))).toThrow('--pattern needs --remember');
    expect(() => denying(question, { reason: '', remember: { scope: 'session' } })).toThrow('it is a question');
  });
});
