import { demoAdapter } from '@agent-mux/adapters';
import type { RunResult } from '@agent-mux/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { paint } from '../screen/paint.ts';
import { count, duration } from './format.ts';
import { closingLines } from './summary-lines.ts';

const RESULT: RunResult = {
  runId: 'r',
  agent: 'demo',
  mode: 'live',
  text: '',
  sessionId: 's-1',
  model: 'demo-1',
  usage: { inputTokens: 1234, outputTokens: 56, cacheReadTokens: null, cacheCreationTokens: null, totalTokens: 1290 },
  costUsd: 0.0123,
  costSource: 'estimated',
  serviceTier: null,
  quota: null,
  durationMs: 3200,
  exitReason: 'completed',
  exitCode: 0,
  error: null,
  turnCount: 1,
  tags: [],
};
const lines = (result: Partial<RunResult>) =>
  closingLines({ ...RESULT, ...result }, demoAdapter, paint({ isTTY: false }, {}));

describe('closingLines', () => {
  // Under npm, the suggested command would use npx.
  beforeEach(() => void vi.stubEnv('npm_lifecycle_event', ''));
  afterEach(() => void vi.unstubAllEnvs());

  it('report usage and how to resume', () => {
    expect(lines({})).toEqual([
      '✓ done · 3.2 s · 1.2k in, 56 out tokens · $0.01 (estimated) · demo-1',
      '  session s-1',
      '  resume:  amux run -a demo --resume s-1 "..."',
    ]);
  });

  it('omit unknown values', () => {
    expect(lines({ usage: null, costUsd: null, model: null, sessionId: null })).toEqual(['✓ done · 3.2 s']);
  });

  it('quote an id for the shell, and omit the command for invisible characters', () => {
    const [, session, resume] = lines({ sessionId: `a'; rm -rf ~ #` });
    expect(session).toBe(`  session a'; rm -rf ~ #`);
    expect(resume).toContain(`--resume 'a'\\''; rm -rf ~ #' "..."`);
    expect(lines({ sessionId: 'a\x1b[2Jb' }).slice(1)).toEqual(['  session ab']);
  });

  it('omit the session if it does not exist', () => {
    const error = { code: 'SESSION_NOT_FOUND', message: '' } as const;
    expect(lines({ exitReason: 'failed', error })).toHaveLength(1);
  });
});

describe('duration', () => {
  it('formats short texts', () => {
    expect([950, 1500, 2_500_000].map(count)).toEqual(['950', '1.5k', '2.5M']);
    expect([20, 2000, 61_000, 300_000, 5_400_000].map(duration)).toEqual([
      '20 ms',
      '2 s',
      '1 min 1 s',
      '5 min',
      '1 h 30 min',
    ]);
  });
});
