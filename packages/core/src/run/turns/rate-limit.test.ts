import type { RunHandle, SessionStore } from '@agent-mux/core';
import { assertEventOrder, FakeAdapter, type Step } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import {
  event,
  eventsOf,
  live,
  nothingLeftOf,
  sessionStart,
  text,
  turnEnd,
  typed,
  useBench,
} from '../../../test/engine.ts';

const bench = useBench();
const hang: Step = { do: 'hang' };
const resetsAt = Date.now() + 3_600_000;
const limited = (to: 'stdout' | 'stderr', when: object = { resetsAt }): Step => ({
  do: 'event',
  event: { type: 'rate_limit_error', message: 'quota exceeded', retrying: true, ...when },
  to,
});
const passing = limited('stdout', { retryAfterMs: 5 });
/** The n-th process runs the n-th list of steps. */
const attempts = (...lists: Step[][]): Step[] => [
  { do: 'by-attempt', counterFile: `${bench.folder()}/count`, attempts: lists },
];

describe('CLI that retries a rate limit on its own', () => {
  it.each(['stdout', 'stderr'] as const)('is killed when it reports so on %s', async (to) => {
    const handle = bench.fake([sessionStart, limited(to), hang]).run();
    const events = await eventsOf(handle);
    assertEventOrder(events);
    expect(typed(events, 'rate_limit_error')).toMatchObject([{ resetsAt, retrying: true }]);
    const result = await handle;
    expect(result).toMatchObject({
      exitReason: 'rate_limited',
      error: { code: 'RATE_LIMITED', message: 'quota exceeded', resetsAt },
      sessionId: `fake-${handle.runId}`,
    });
    expect(result.durationMs).toBeLessThan(4000);
    expect(nothingLeftOf(handle)).toBe(true);
  });

  it.each([{ message: 'try again in 999999999999 weeks' }, { resetsAt: 1e20 }, { retryAfterMs: 1e20 }])(
    'is reported without an implausible reset time: %j',
    async (when) => {
      const result = await bench.fake([sessionStart, limited('stdout', when), hang]).run();
      expect(result).toMatchObject({ exitReason: 'rate_limited', error: { code: 'RATE_LIMITED' } });
      expect(result.error).not.toHaveProperty('resetsAt');
    },
  );

  it.each(['stdout', 'stderr'] as const)('is killed as a live agent when it reports so on %s', async (to) => {
    const handle = bench.fake(live([limited(to), hang])).run();
    expect(await handle).toMatchObject({ exitReason: 'rate_limited', error: { resetsAt } });
    expect(nothingLeftOf(handle)).toBe(true);
  });

  it('leaves a session that can be resumed', async () => {
    const { run } = bench.fake(attempts([sessionStart, limited('stderr'), hang], [sessionStart, text('continued')]));
    const first = await run();
    const handle = run({ sessionId: first.sessionId ?? '' });
    const events = await eventsOf(handle);
    expect(typed(events, 'session_resume')).toMatchObject([{ sessionId: first.sessionId }]);
    expect(await handle).toMatchObject({ sessionId: first.sessionId, text: 'continued', exitReason: 'completed' });
  });
});

describe('retryPolicy', () => {
  const policy = { maxRetries: 2, initialDelayMs: 20, multiplier: 3 };

  it('retries a turn that has shown nothing, with growing delays', async () => {
    const failing = [sessionStart, event({ type: 'thinking_delta', delta: 'hm' }), passing, hang];
    const { run } = bench.fake(attempts(failing, failing, [sessionStart, text('at last'), turnEnd]));
    const handle = run({ retryPolicy: policy });
    const events = await eventsOf(handle);
    assertEventOrder(events);
    expect(typed(events, 'retry')).toMatchObject([
      { attempt: 1, maxAttempts: 2, delayMs: 20, by: 'engine', reason: 'quota exceeded' },
      { attempt: 2, delayMs: 60 },
    ]);
    expect(typed(events, 'turn_start')).toHaveLength(1);
    expect(await handle).toMatchObject({ text: 'at last', turnCount: 1, exitReason: 'completed', error: null });
  });

  describe('sessions of retries', () => {
    /** A store that has a session for every reported id until it is deleted. */
    function storing(steps: Step[], removal?: () => void) {
      const createdAt = (key: string) => (key === 'other' ? 0 : Date.now());
      const left = new Set<string>(['other']);
      const sessionStore: SessionStore = {
        root: () => '/store',
        find: async () => [...left].map((key) => ({ path: `/store/${key}`, key, stamp: '' })),
        read: async ({ key = '' }) => ({ agent: 'fake', sessionId: key, createdAt: createdAt(key), messages: [] }),
        remove: async ({ key = '' }) => {
          removal?.();
          left.delete(key);
        },
      };
      const adapter = Object.assign(new FakeAdapter({ steps }), { sessionStore });
      return { left, run: bench.use(adapter).run };
    }
    const begin = (sessionId: string) => event({ type: 'session_start', sessionId });
    const onRetry = (handle: RunHandle, left: Set<string>) =>
      handle.on('session_start', (e) => left.add(e.sessionId ?? ''));

    it('leaves one session: that of a failed attempt is deleted before the next', async () => {
      const { left, run } = storing(attempts([begin('first'), passing, hang], [begin('second'), text('ok')]));
      const handle = run({ retryPolicy: policy });
      onRetry(handle, left);
      const events = await eventsOf(handle);
      expect(await handle).toMatchObject({ text: 'ok', sessionId: 'second' });
      expect([...left]).toEqual(['other']);
      expect(events.at(-1)).toMatchObject({ type: 'session_end', sessionId: 'second' });
    });

    it('keeps the last session of a failed run, and a resumed one', async () => {
      const failing = [begin('first'), passing, hang];
      const failed = storing(failing);
      const once = failed.run({ retryPolicy: { ...policy, maxRetries: 0 } });
      onRetry(once, failed.left);
      expect(await once).toMatchObject({ exitReason: 'rate_limited', sessionId: 'first' });
      expect([...failed.left]).toEqual(['other', 'first']);
      const resumed = storing(attempts([begin('other'), passing, hang], [begin('other'), text('ok')]));
      expect(await resumed.run({ sessionId: 'other', retryPolicy: policy })).toMatchObject({ text: 'ok' });
      expect([...resumed.left]).toEqual(['other']);
    });

    it('keeps a session that existed before, whatever id the agent reports', async () => {
      const { left, run } = storing(attempts([begin('other'), passing, hang], [begin('second'), text('ok')]));
      expect(await run({ retryPolicy: policy })).toMatchObject({ text: 'ok' });
      expect([...left]).toEqual(['other']);
    });

    it('reports a session that could not be deleted and retries anyway', async () => {
      const steps = attempts([begin('first'), passing, hang], [begin('second'), text('ok')]);
      const { left, run } = storing(steps, () => {
        throw new Error('read-only');
      });
      const handle = run({ retryPolicy: policy });
      onRetry(handle, left);
      const events = await eventsOf(handle);
      expect(await handle).toMatchObject({ text: 'ok', sessionId: 'second' });
      expect(typed(events, 'debug').filter(({ code }) => code === 'session_orphaned')).toHaveLength(1);
    });
  });

  it('gives up after the maximum number of attempts', async () => {
    const handle = bench.fake([sessionStart, passing, hang]).run({ retryPolicy: { ...policy, maxRetries: 1 } });
    const events = await eventsOf(handle);
    assertEventOrder(events);
    expect(typed(events, 'retry')).toHaveLength(1);
    expect(await handle).toMatchObject({ exitReason: 'rate_limited', turnCount: 1 });
  });

  const shown: [string, Step][] = [
    ['text', text('half an answer')],
    ['a tool call', event({ type: 'tool_call_ready', toolCallId: 't', toolName: 'Bash', input: {} })],
    ['an MCP call', event({ type: 'mcp_tool_call_start', toolCallId: 't', server: 's', toolName: 'x', input: {} })],
  ];
  it.each(shown)('does not retry a turn that has shown %s', async (_what, step) => {
    const { run } = bench.fake(attempts([sessionStart, step, passing, hang], [sessionStart, text('again')]));
    const handle = run({ retryPolicy: policy });
    const events = await eventsOf(handle);
    expect(typed(events, 'retry')).toEqual([]);
    expect(await handle).toMatchObject({ exitReason: 'rate_limited' });
  });

  it('waits at least as long as the provider requests', async () => {
    const busy = event({ type: 'rate_limit_error', message: 'later', retrying: true, retryAfterMs: 150 });
    const { run } = bench.fake(attempts([sessionStart, busy, hang], [sessionStart, text('ok')]));
    const events = await eventsOf(run({ retryPolicy: policy }));
    expect(typed(events, 'retry')).toMatchObject([{ delayMs: 150 }]);
  });

  const resets: [string, object][] = [
    ['as a reset time', { resetsAt: Date.now() + 7_200_000 }],
    ['as a delay', { retryAfterMs: 7_200_000 }],
    ['as text', { message: 'You have exhausted your capacity. Your quota will reset after 2h0m0s.' }],
  ];
  it.each(resets)('does not wait for a reset beyond the maximum delay, reported %s', async (_, when) => {
    const handle = bench.fake([sessionStart, limited('stdout', when), hang]).run({ retryPolicy: policy });
    const events = await eventsOf(handle);
    expect(typed(events, 'retry')).toEqual([]);
    expect(typed(events, 'debug')).toContainEqual(
      expect.objectContaining({ code: 'retry_skipped', message: expect.stringContaining('maxDelayMs') }),
    );
    const { exitReason, error } = await handle;
    expect(exitReason).toBe('rate_limited');
    expect(Math.abs((error?.resetsAt ?? 0) - Date.now() - 7_200_000)).toBeLessThan(60_000);
  });

  it("does not wait for a reset beyond the run's timeout", async () => {
    const { run } = bench.fake([sessionStart, limited('stdout', { retryAfterMs: 90_000 }), hang]);
    const handle = run({ retryPolicy: policy, timeout: 60_000 });
    const events = await eventsOf(handle);
    expect(typed(events, 'debug')).toContainEqual(
      expect.objectContaining({ code: 'retry_skipped', message: expect.stringContaining('timeout') }),
    );
    expect(await handle).toMatchObject({ exitReason: 'rate_limited', error: { resetsAt: expect.any(Number) } });
  });

  it('waits for a reported reset time, also in prose', async () => {
    // The clock starts here, and the agent must be ready before it runs out.
    const limitMs = 3000;
    for (const when of [{ resetsAt: Date.now() + limitMs }, { message: 'try again in 0.4s' }]) {
      const { run } = bench.fake(attempts([sessionStart, limited('stderr', when), hang], [sessionStart, text('ok')]));
      const handle = run({ retryPolicy: policy });
      const [retry] = typed(await eventsOf(handle), 'retry');
      expect(retry?.delayMs).toBeGreaterThan(20);
      expect(retry?.delayMs).toBeLessThanOrEqual(limitMs);
      expect(await handle).toMatchObject({ text: 'ok', error: null });
    }
  });

  it('retries crashes and failed turns but no other failures', async () => {
    const crash: Step[] = [sessionStart, { do: 'exit', code: 7 }];
    const failed: Step[] = [
      sessionStart,
      event({ type: 'error', code: 'SERVER_ERROR', message: 'overloaded', recoverable: true }),
      event({ type: 'turn_end', status: 'failed' }),
    ];
    const login: Step[] = [sessionStart, event({ type: 'auth_error', message: 'log in' }), { do: 'exit', code: 1 }];
    const ok: Step[] = [sessionStart, text('ok')];
    for (const first of [crash, failed]) {
      expect(await bench.fake(attempts(first, ok)).run({ retryPolicy: policy })).toMatchObject({
        text: 'ok',
        error: null,
      });
    }
    expect(await bench.fake(attempts(login, ok)).run({ retryPolicy: policy })).toMatchObject({
      exitReason: 'auth_error',
      error: { code: 'AUTH_ERROR' },
    });
  });

  it('restarts a live agent', async () => {
    const [failing, working] = [live([passing, hang]), live([text('ok'), turnEnd])];
    const handle = bench.fake(attempts(failing, working), { mode: 'live' }).run({ retryPolicy: policy });
    const events = await eventsOf(handle);
    assertEventOrder(events);
    expect(await handle).toMatchObject({ text: 'ok', turnCount: 1, exitReason: 'completed' });
  });

  it('is off by default', async () => {
    const { run } = bench.fake(attempts([sessionStart, { do: 'exit', code: 1 }], [sessionStart, text('ok')]));
    expect(await run()).toMatchObject({ exitReason: 'crashed' });
  });
});
