import type { Step } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { event, live, next, sessionStart, text, turnEnd, useBench } from '../../../test/engine.ts';
import { type AgentEvent, type EventBody, type ExitReason, NO_USAGE, type TokenUsage } from '../../contract/events.ts';
import { Sequencer } from '../ordering/sequence.ts';
import { type Estimate, ResultFold } from './result.ts';

const bench = useBench();

function folded(...bodies: EventBody[]): ResultFold {
  return foldInto(new ResultFold(), bodies);
}

function foldInto(fold: ResultFold, bodies: readonly EventBody[]): ResultFold {
  const sequencer = new Sequencer({ agent: 'fake', runId: 'r' }, (each: AgentEvent) => fold.take(each));
  sequencer.beginTurn();
  if (bodies[0]?.type !== 'session_start') sequencer.write({ type: 'session_start' });
  for (const body of bodies) sequencer.write(body);
  return fold;
}
const tokens = (inputTokens: number | null, outputTokens: number | null): TokenUsage => ({
  ...NO_USAGE,
  inputTokens,
  outputTokens,
});
const cost = (
  scope: 'delta' | 'turn' | 'session',
  usage: TokenUsage,
  costUsd: number | null,
  more: Partial<Extract<EventBody, { type: 'cost' }>> = {},
): EventBody => ({ type: 'cost', scope, usage, costUsd, source: 'reported', ...more });
const end: EventBody = { type: 'turn_end', status: 'completed' };
const delta = (each: string, parentToolCallId?: string): EventBody => ({
  type: 'text_delta',
  delta: each,
  parentToolCallId,
});

describe('result text', () => {
  it('is that of the last turn, with messages separated and without subagents', () => {
    const bodies = [
      delta('old'),
      end,
      delta('a'),
      delta('b'),
      delta('aside', 't'),
      { type: 'message_stop' } as const,
      delta('c'),
    ];
    expect(folded(...bodies).text).toBe('ab\n\nc');
  });

  it('omits discarded messages', () => {
    const again: EventBody = { type: 'message_discard', reason: 'overloaded' };
    expect(folded(delta('kept'), { type: 'message_stop' }, delta('void'), again, delta('new')).text).toBe(
      'kept\n\nnew',
    );
  });
});

describe('usage and cost', () => {
  it('are added up with scope "delta"', () => {
    const fold = folded(cost('delta', tokens(10, 1), 0.5), cost('delta', tokens(5, null), null), end);
    expect(fold.usage).toMatchObject({ inputTokens: 15, outputTokens: 1, totalTokens: 16, cacheReadTokens: null });
    expect(fold.costUsd).toBe(0.5);
  });

  it('replace earlier values of their turn with scope "turn"; turns are added up', () => {
    const first = [cost('turn', tokens(10, 1), 1), cost('turn', tokens(20, 2), 2), end];
    const fold = folded(...first, delta('x'), cost('turn', tokens(100, 10), 3), end);
    expect(fold.usage).toMatchObject({ inputTokens: 120, outputTokens: 12 });
    expect(fold.costUsd).toBe(5);
  });

  it('replace all earlier values with scope "session"', () => {
    const bodies = [
      cost('delta', tokens(1, 1), 1),
      cost('session', tokens(10, null), null),
      cost('session', tokens(30, null), 4),
    ];
    const fold = folded(...bodies, end);
    expect(fold.usage).toMatchObject({ inputTokens: 30, outputTokens: 1 });
    expect(fold.costUsd).toBe(4);
  });

  it('are null if nothing was reported, and 0 if 0 was', () => {
    expect(folded(end)).toMatchObject({ usage: null, costUsd: null, costSource: null });
    expect(folded(cost('delta', NO_USAGE, null), end)).toMatchObject({ usage: null, costUsd: null });
    const free = folded(cost('delta', tokens(0, 0), 0, { source: 'estimated' }), end);
    expect(free).toMatchObject({ usage: { inputTokens: 0, totalTokens: 0 }, costUsd: 0, costSource: 'estimated' });
  });

  it('are estimated from model prices if the agent reports no cost', () => {
    const prices: Estimate = (model, { inputTokens }) => (model === 'big' && inputTokens !== null ? inputTokens : null);
    const fold = (...bodies: EventBody[]) => {
      const result = foldInto(new ResultFold(prices), bodies);
      return { costUsd: result.costUsd, costSource: result.costSource };
    };
    const big = { model: 'big' };
    const estimated = (costUsd: number) => ({ costUsd, costSource: 'estimated' });
    const unknown = { costUsd: null, costSource: null };
    expect(fold(cost('delta', tokens(2, 1), null, big), cost('delta', tokens(3, 1), null, big))).toEqual(estimated(5));
    expect(fold({ type: 'session_start', ...big }, cost('session', tokens(7, 1), null))).toEqual(estimated(7));
    expect(fold(cost('turn', tokens(2, 1), null, big), cost('turn', tokens(4, 1), null, big), end)).toEqual(
      estimated(4),
    );
    // If the price of some tokens is unknown, so is the total.
    expect(fold(cost('delta', tokens(2, 1), null, big), cost('delta', tokens(3, 1), null, { model: 'odd' }))).toEqual(
      unknown,
    );
    expect(fold(cost('delta', tokens(3, 1), null))).toEqual(unknown);
    expect(fold(end)).toEqual(unknown);
    for (const reported of [0, 0.5]) {
      const costs = [cost('delta', tokens(2, 1), null, big), cost('delta', NO_USAGE, reported)];
      expect(fold(...costs)).toEqual({ costUsd: reported, costSource: 'reported' });
    }
  });

  it('name the model that really answered', () => {
    expect(folded({ type: 'message_start', model: 'small' }, cost('delta', NO_USAGE, 1, { model: 'big' })).model).toBe(
      'big',
    );
  });
});

describe('run result', () => {
  it('has everything from the events', async () => {
    const start = event({ type: 'session_start', sessionId: '{{session}}', model: 'm-1' });
    const paid = event({ type: 'cost', usage: tokens(3, 4), costUsd: 0.25, scope: 'turn', source: 'reported' });
    const handle = bench.fake([start, text('hi'), paid, turnEnd]).run({ tags: ['t'] });
    const { durationMs, ...result } = await handle;
    expect(result).toEqual({
      runId: handle.runId,
      agent: 'fake',
      mode: 'oneshot',
      text: 'hi',
      sessionId: `fake-${handle.runId}`,
      model: 'm-1',
      usage: { ...NO_USAGE, inputTokens: 3, outputTokens: 4, totalTokens: 7 },
      costUsd: 0.25,
      costSource: 'reported',
      serviceTier: null,
      quota: null,
      exitReason: 'completed',
      exitCode: 0,
      error: null,
      turnCount: 1,
      tags: ['t'],
    });
    expect(durationMs).toBeGreaterThan(0);
  });

  const hang: Step = { do: 'hang' };
  const failure = (body: EventBody): Step[] => [sessionStart, event(body), { do: 'exit', code: 1 }];
  const ends: [ExitReason, Step[], object, string | null][] = [
    ['completed', [sessionStart, text('x'), turnEnd], {}, null],
    ['max_turns', [sessionStart, event({ type: 'turn_end', status: 'max_turns' })], {}, 'MAX_TURNS'],
    ['failed', [sessionStart, event({ type: 'turn_end', status: 'refused' })], {}, 'AGENT_ERROR'],
    ['auth_error', failure({ type: 'auth_error', message: 'log in' }), {}, 'AUTH_ERROR'],
    ['context_exceeded', failure({ type: 'context_exceeded', message: 'too long' }), {}, 'CONTEXT_EXCEEDED'],
    ['rate_limited', failure({ type: 'rate_limit_error', message: 'later', retrying: false }), {}, 'RATE_LIMITED'],
    [
      'failed',
      failure({ type: 'error', code: 'SERVER_ERROR', message: '500', recoverable: false }),
      {},
      'SERVER_ERROR',
    ],
    ['crashed', [sessionStart, { do: 'exit', code: 2 }], {}, 'AGENT_CRASH'],
    ['inactivity', [sessionStart, hang], { inactivityTimeout: 1500 }, 'INACTIVITY_TIMEOUT'],
    ['timeout', [sessionStart, hang], { timeout: 1500 }, 'TIMEOUT'],
    ['aborted', [sessionStart, hang], { signal: AbortSignal.abort() }, 'ABORTED'],
  ];
  it.concurrent.each(ends)('has the exit reason %s', async (exitReason, steps, options, code) => {
    const handle = bench.fake(steps).run(options);
    let last: AgentEvent | undefined;
    handle.on('*', (each) => {
      last = each;
    });
    const result = await handle;
    expect(result).toMatchObject({ exitReason });
    expect(result.error?.code ?? null).toBe(code);
    expect(last).toMatchObject({ type: 'session_end', reason: exitReason });
  });

  it('has the exit reason interrupted and recovers in a later turn', async () => {
    const handle = bench.fake(live([hang], [text('fine'), turnEnd])).run({ interactive: true });
    await next(handle, 'turn_start');
    await handle.interrupt();
    await handle.send('again');
    await next(handle, 'turn_end');
    expect(await handle.end()).toMatchObject({ exitReason: 'completed', error: null });
  });

  it('has no error if the agent recovered within the turn', async () => {
    const hiccup = event({ type: 'rate_limit_error', message: 'wait', retrying: false });
    expect(await bench.fake([sessionStart, hiccup, text('ok'), turnEnd]).run()).toMatchObject({
      exitReason: 'completed',
      error: null,
    });
  });
});

describe('output schema', () => {
  const outputSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
  const run = (...steps: Step[]) => bench.fake([sessionStart, ...steps]).run({ outputSchema });

  it('is satisfied by the structured value of the turn, or by its text', async () => {
    const value = event({ type: 'turn_end', status: 'completed', structured: { n: 1 } });
    expect(await run(value)).toMatchObject({ structured: { n: 1 }, exitReason: 'completed' });
    expect(await run(text('{"n": 2}'), turnEnd)).toMatchObject({ structured: { n: 2 }, exitReason: 'completed' });
  });

  it('is not satisfied by anything else', async () => {
    const wrong = event({ type: 'turn_end', status: 'completed', structured: { n: 'one' } });
    for (const steps of [[wrong], [text('no JSON'), turnEnd]]) {
      expect(await run(...steps)).toMatchObject({ exitReason: 'failed', error: { code: 'OUTPUT_SCHEMA_ERROR' } });
    }
  });
});
