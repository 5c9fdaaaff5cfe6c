import { getEventListeners } from 'node:events';
import { readFileSync } from 'node:fs';
import { assertEventOrder, FakeAdapter, type Step } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import {
  event,
  eventsOf,
  live,
  livingChildren,
  next,
  nothingLeftOf,
  sessionStart,
  text,
  turnEnd,
  typed,
  until,
  useBench,
} from '../../test/engine.ts';
import type { SpawnArgs } from '../contract/adapter.ts';
import type { ResolvedRunOptions } from '../contract/options.ts';

const bench = useBench();
const hang: Step = { do: 'hang' };
const MODES = ['oneshot', 'live'] as const;

/** Counts the calls of buildSpawnArgs; its agent runs until it is killed. */
class CountingAdapter extends FakeAdapter {
  plans = 0;
  override buildSpawnArgs(options: ResolvedRunOptions): SpawnArgs {
    this.plans += 1;
    return super.buildSpawnArgs(options);
  }
}

function counted(mode: 'oneshot' | 'live', work: Step[] = [text('working'), hang]) {
  const adapter = new CountingAdapter({ steps: mode === 'live' ? live(work) : [sessionStart, ...work], mode });
  return { ...bench.use(adapter), plans: () => adapter.plans };
}

describe.each(MODES)('abort of a %s run', (mode) => {
  it('starts no process before the spawn', async () => {
    const { run, plans } = counted(mode);
    const handle = run();
    const result = await handle.abort('not needed any more');
    expect(result).toMatchObject({
      exitReason: 'aborted',
      error: { code: 'ABORTED', message: 'not needed any more' },
      turnCount: 0,
    });
    const events = await eventsOf(handle);
    assertEventOrder(events);
    expect(typed(events, 'aborted')).toMatchObject([{ reason: 'not needed any more' }]);
    expect(plans()).toBe(0);
  });

  it('leaves no process when aborted during startup', async () => {
    const before = livingChildren();
    for (let ticks = 1; ticks < 12; ticks++) {
      const handle = counted(mode).run();
      for (let i = 0; i < ticks; i++) await null;
      expect(await handle.abort()).toMatchObject({ exitReason: 'aborted' });
      expect(livingChildren()).toEqual(before);
    }
  });

  it('ends the process before it resolves, once for two calls', async () => {
    const { run } = counted(mode);
    const handle = run();
    const reading = eventsOf(handle);
    await next(handle, 'text_delta');
    const [first, second] = await Promise.all([handle.abort('first'), handle.abort('second')]);
    expect(nothingLeftOf(handle)).toBe(true);
    expect(first).toMatchObject({ exitReason: 'aborted', error: { message: 'first' } });
    expect(second).toBe(first);
    const events = await reading;
    assertEventOrder(events);
    expect(typed(events, 'aborted')).toHaveLength(1);
    expect(typed(events, 'turn_end')).toMatchObject([{ status: 'interrupted' }]);
    expect(events.at(-1)).toMatchObject({ type: 'session_end', reason: 'aborted' });
  });

  it('does nothing after the end', async () => {
    const steps = mode === 'live' ? live([text('done'), turnEnd]) : [sessionStart, text('done')];
    const handle = bench.fake(steps).run();
    const result = await handle;
    expect(await handle.abort('too late')).toBe(result);
    expect(result).toMatchObject({ exitReason: 'completed', error: null });
    expect(typed(await eventsOf(handle), 'aborted')).toEqual([]);
  });

  it('works through an AbortSignal', async () => {
    const controller = new AbortController();
    const handle = counted(mode).run({ signal: controller.signal });
    const reading = eventsOf(handle);
    await next(handle, 'text_delta');
    controller.abort(new Error('the user left'));
    expect(await handle).toMatchObject({ exitReason: 'aborted', error: { code: 'ABORTED', message: 'the user left' } });
    expect(nothingLeftOf(handle)).toBe(true);
    expect(typed(await reading, 'aborted')).toMatchObject([{ reason: 'the user left' }]);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });

  it('starts no process for an already aborted signal', async () => {
    const { run, plans } = counted(mode);
    const handle = run({ signal: AbortSignal.abort('early') });
    expect(await handle).toMatchObject({ exitReason: 'aborted', error: { message: 'early' } });
    expect(plans()).toBe(0);
  });
});

describe('abort', () => {
  it('ends a retry delay and starts no further attempt', async () => {
    const limited = event({ type: 'rate_limit_error', message: 'slow down', retrying: true });
    const { run, plans } = counted('live', [limited, hang]);
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    await until(() => timers() === 0);
    const handle = run({ retryPolicy: { maxRetries: 3, initialDelayMs: 60_000 } });
    const reading = eventsOf(handle);
    await next(handle, 'retry');
    expect(await handle.abort()).toMatchObject({ exitReason: 'aborted' });
    expect(nothingLeftOf(handle)).toBe(true);
    assertEventOrder(await reading);
    expect(timers()).toBe(0);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(plans()).toBe(1);
  });

  it('withdraws an open approval request', async () => {
    const ask: Step = {
      do: 'ask',
      event: { type: 'approval_request', requestId: 'q', toolName: 'Bash', title: 'ls', options: [] },
    };
    const handle = bench.fake(live([ask, turnEnd])).run();
    const reading = eventsOf(handle);
    await next(handle, 'approval_request');
    await handle.abort();
    const events = await reading;
    assertEventOrder(events);
    expect(typed(events, 'approval_resolved')).toMatchObject([{ outcome: 'cancelled', by: 'caller' }]);
  });

  it('withholds the prompt when aborted as the session opens', async () => {
    const tracePath = `${bench.folder()}/trace.jsonl`;
    const handle = bench.fake(live([turnEnd])).run({ tracePath, prompt: 'not for that one' });
    handle.on('session_start', () => void handle.abort('another session than I meant'));
    const reading = eventsOf(handle);
    expect(await handle).toMatchObject({ exitReason: 'aborted', error: { message: 'another session than I meant' } });
    assertEventOrder(await reading);
    expect(readFileSync(tracePath, 'utf8')).not.toContain(String.raw`{\"turn\":`);
    expect(nothingLeftOf(handle)).toBe(true);
  });

  it('does not wait for the agent when the run is already ending', async () => {
    const steps: Step[] = [{ do: 'ignore-signals', signals: ['SIGINT'] }, ...live([text('done'), turnEnd]), hang];
    const handle = bench.fake(steps).run();
    await next(handle, 'turn_end');
    await new Promise((resolve) => setTimeout(resolve, 100));
    const startedAt = performance.now();
    expect(await handle.abort()).toMatchObject({ text: 'done', exitReason: 'completed' });
    expect(performance.now() - startedAt).toBeLessThan(3000);
    expect(nothingLeftOf(handle)).toBe(true);
  });

  it("leaves the caller's other listeners on the signal alone", async () => {
    const controller = new AbortController();
    controller.signal.addEventListener('abort', () => {});
    await bench.fake([sessionStart, text('done')]).run({ signal: controller.signal });
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1);
  });
});

describe('abort of a bridge agent', () => {
  const abortTraced = async (spec: object, onInterrupt?: 'ignore') => {
    const tracePath = `${bench.folder()}/trace.jsonl`;
    const steps: Step[] = [{ do: 'live', turns: [[text('working'), hang]], onInterrupt }];
    const handle = bench.fake(steps, { mode: 'live', live: spec }).run({ tracePath });
    await next(handle, 'text_delta');
    const result = await handle.abort();
    expect(result.exitReason).toBe('aborted');
    expect(nothingLeftOf(handle)).toBe(true);
    return readFileSync(tracePath, 'utf8').includes(String.raw`{\"interrupt\":true}`);
  };

  it('stops the work behind the bridge first', async () => {
    expect(await abortTraced({ isBridge: true })).toBe(true);
    expect(await abortTraced({})).toBe(false);
  });

  it('does not wait forever for the work to stop', async () => {
    expect(await abortTraced({ isBridge: true }, 'ignore')).toBe(true);
  });
});
