import type { Request } from '@agent-mux/api';
import { describe, expect, it } from 'vitest';
import { allowAnswer, denyAnswer } from './answers.ts';
import { readRemember } from './remember.ts';

const args = (flags: Record<string, string>) => ({ flags, positionals: [] });
const envelope = { runId: 'r', agent: 'demo', turnIndex: 0, seq: 1, timestamp: 1 };
const request = (event: Record<string, unknown>): Request => ({
  id: 'r1',
  sessionId: 's1',
  agent: 'demo',
  launch: 1,
  agentRequestId: 'q',
  kind: 'approval',
  event: { ...envelope, requestId: 'q', ...event },
  state: 'open',
  outcome: null,
  by: null,
  answer: null,
  snoozedUntil: null,
  createdAt: 1,
  resolvedAt: null,
  rev: 1,
});
const approval = request({ type: 'approval_request', toolName: 'x', title: 'x', kind: 'execute', options: [] });
const question = request({ type: 'input_required', questions: [] });

describe('--remember', () => {
  it('adds scope and pattern to the answer', () => {
    const remember = readRemember(args({ remember: 'project', pattern: 'npm *' }));
    expect(remember).toEqual({ scope: 'project', pattern: 'npm *' });
    expect(allowAnswer(approval, { always: false, remember })).toEqual({ decision: 'allow', remember });
    expect(denyAnswer(approval, { reason: 'no', remember })).toEqual({ decision: 'deny', message: 'no', remember });
    expect(readRemember(args({}))).toBeUndefined();
  });

  it('rejects invalid combinations', () => {
    expect(() => readRemember(args({ remember: 'always' }))).toThrow('invalid scope "always"');
    expect(() => readRemember(args({ pattern: 'x' }))).toThrow('--pattern requires --remember');
    expect(() => denyAnswer(question, { reason: '', remember: { scope: 'session' } })).toThrow('declining a question');
  });
});
