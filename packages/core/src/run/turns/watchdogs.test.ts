import { join } from 'node:path';
import { assertEventOrder, FakeAdapter, type Step } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import {
  event,
  eventsOf,
  live,
  next,
  nothingLeftOf,
  sessionStart,
  text,
  turnEnd,
  typed,
  useBench,
} from '../../../test/engine.ts';
import type { EventBody } from '../../contract/events.ts';
import type { RetryPolicy } from '../../contract/options.ts';

const bench = useBench();
const hang: Step = { do: 'hang' };
const tool = { toolCallId: 't', toolName: 'Bash' };
const toolCall = [event({ type: 'tool_call_ready', ...tool, input: {} })];
const toolResult = event({ type: 'tool_result', ...tool, output: 'ok' });
/** Longer than the fake agent takes to start, even on a busy machine. */
const SILENCE = 1500;

describe.concurrent('hung agent', () => {
  it('is killed if it is silent in a turn, with a timeout event', async () => {
    const handle = bench.fake([sessionStart, text('and then'), hang]).run({ inactivityTimeout: SILENCE });
    const events = await eventsOf(handle);
    assertEventOrder(events);
    expect(typed(events, 'timeout')).toMatchObject([{ kind: 'inactivity', limitMs: SILENCE }]);
    expect(await handle).toMatchObject({
      text: 'and then',
      exitReason: 'inactivity',
      error: { code: 'INACTIVITY_TIMEOUT' },
    });
    expect(nothingLeftOf(handle)).toBe(true);
  });

  it('is retried if the retry policy includes inactivity', async () => {
    const counterFile = join(bench.folder(), 'attempts');
    const attempts: Step[][] = [
      [sessionStart, hang],
      [sessionStart, text('second try'), turnEnd],
    ];
    const failures: EventBody[] = [];
    class Recording extends FakeAdapter {
      override shouldRetry(failure: EventBody, attempt: number, policy: RetryPolicy): boolean {
        failures.push(failure);
        return super.shouldRetry(failure, attempt, policy);
      }
    }
    const { run } = bench.use(new Recording({ steps: [{ do: 'by-attempt', counterFile, attempts }] }));
    const retryPolicy = { maxRetries: 1, initialDelayMs: 1, retryOn: ['INACTIVITY_TIMEOUT'] as const };
    const handle = run({ inactivityTimeout: SILENCE, retryPolicy });
    const events = await eventsOf(handle);
    assertEventOrder(events);
    expect(typed(events, 'retry')).toMatchObject([{ attempt: 1, by: 'engine' }]);
    expect(typed(events, 'timeout')).toEqual([]);
    expect(await handle).toMatchObject({ text: 'second try', exitReason: 'completed' });
    expect(failures).toMatchObject([{ type: 'timeout', kind: 'inactivity' }]);
  });

  it('is killed if it never answers the handshake', async () => {
    const handle = bench.fake([hang], { mode: 'live' }).run({ inactivityTimeout: SILENCE });
    expect(await handle).toMatchObject({ exitReason: 'inactivity' });
    assertEventOrder(await eventsOf(handle));
  });

  it('is killed sooner if it is silent after a tool result', async () => {
    const handle = bench
      .fake([sessionStart, ...toolCall, toolResult, hang])
      .run({ afterToolTimeout: SILENCE, inactivityTimeout: 60_000 });
    const events = await eventsOf(handle);
    assertEventOrder(events);
    expect(typed(events, 'timeout')).toMatchObject([{ kind: 'after_tool', limitMs: SILENCE }]);
    expect((await handle).exitReason).toBe('inactivity');
  });

  it('is not subject to the after-tool limit while a tool runs', async () => {
    const steps = [
      sessionStart,
      ...toolCall,
      { do: 'wait' as const, ms: SILENCE + 500 },
      toolResult,
      text('done'),
      turnEnd,
    ];
    expect(await bench.fake(steps).run({ afterToolTimeout: SILENCE })).toMatchObject({ exitReason: 'completed' });
  });

  it('is killed if it does not exit after its final event; the answer is kept', async () => {
    const handle = bench.fake([sessionStart, text('done'), turnEnd, hang]).run();
    const events = await eventsOf(handle);
    assertEventOrder(events);
    expect(typed(events, 'timeout')).toMatchObject([{ kind: 'exit' }]);
    expect(await handle).toMatchObject({ text: 'done', exitReason: 'completed', error: null });
    expect(nothingLeftOf(handle)).toBe(true);
  });

  it('is killed if it does not exit when stdin ends; the answer is kept', async () => {
    const handle = bench.fake([...live([text('done'), turnEnd]), hang]).run();
    const events = await eventsOf(handle);
    assertEventOrder(events);
    expect(typed(events, 'timeout')).toMatchObject([{ kind: 'exit' }]);
    expect(await handle).toMatchObject({ text: 'done', exitReason: 'completed' });
    expect(nothingLeftOf(handle)).toBe(true);
  });

  it('is not waited for if its kind is known to linger', async () => {
    const handle = bench.fake([sessionStart, text('done'), turnEnd, hang], { turnEndIsFinal: true }).run();
    const events = await eventsOf(handle);
    expect(typed(events, 'timeout')).toEqual([]);
    const result = await handle;
    expect(result).toMatchObject({ text: 'done', exitReason: 'completed' });
    expect(result.durationMs).toBeLessThan(4000);
    expect(nothingLeftOf(handle)).toBe(true);
  });

  it('does not block the next turn', async () => {
    const handle = bench.fake([sessionStart, text('done'), turnEnd, hang]).run();
    const reading = eventsOf(handle);
    await next(handle, 'turn_end');
    await handle.send('again');
    expect(await handle).toMatchObject({ turnCount: 2, exitReason: 'completed' });
    const events = await reading;
    assertEventOrder(events);
    expect(events.filter((each) => each.type === 'debug' && each.code === 'process_lingered')).toHaveLength(1);
  });

  it('is killed at the run timeout', async () => {
    const busy: Step = { do: 'repeat', times: 1000, steps: [text('.'), { do: 'wait', ms: 50 }] };
    const handle = bench.fake([sessionStart, busy]).run({ timeout: SILENCE });
    const events = await eventsOf(handle);
    assertEventOrder(events);
    expect(typed(events, 'timeout')).toMatchObject([{ kind: 'run', limitMs: SILENCE }]);
    expect(await handle).toMatchObject({ exitReason: 'timeout', error: { code: 'TIMEOUT' } });
  });
});

describe.concurrent('silence not caused by the agent', () => {
  const options = [{ id: 'yes', label: 'Yes', kind: 'allow_once' as const }];
  const ask: Step = {
    do: 'ask',
    event: { type: 'approval_request', requestId: 'q', toolName: 'Bash', title: 'ls', options },
  };

  it('does not count while an approval is open', async () => {
    const handle = bench.fake(live([ask, text('allowed'), turnEnd])).run({ inactivityTimeout: SILENCE });
    await next(handle, 'approval_request');
    await new Promise((resolve) => setTimeout(resolve, SILENCE + 500));
    handle.approve('q');
    expect(await handle).toMatchObject({ text: 'allowed', exitReason: 'completed' });
  });

  it('counts again after the answer', async () => {
    const handle = bench.fake(live([ask, hang])).run({ inactivityTimeout: SILENCE });
    await next(handle, 'approval_request');
    handle.approve('q');
    expect(await handle).toMatchObject({ exitReason: 'inactivity' });
  });

  it('does not count between turns of an interactive run', async () => {
    const handle = bench.fake(live([text('one'), turnEnd])).run({ interactive: true, inactivityTimeout: SILENCE });
    await next(handle, 'turn_end');
    await new Promise((resolve) => setTimeout(resolve, SILENCE + 500));
    await handle.send('two');
    expect(await handle.end()).toMatchObject({ turnCount: 2, exitReason: 'completed' });
  });
});
