import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { assertEventOrder, FakeAdapter, type Step } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { eventsOf, sessionStart, steady, typed, useBench } from '../../../test/engine.ts';
import type { AgentEvent, EventBody } from '../../contract/events.ts';
import { HIGH_WATER_EVENTS, RETAINED_EVENTS } from './event-log.ts';

const bench = useBench();
const MB = 1024 * 1024;

/** Counts the lines that the engine has read from the agent. */
class CountingAdapter extends FakeAdapter {
  lines = 0;
  override parseEvent(line: string): EventBody | null {
    this.lines += 1;
    return super.parseEvent(line);
  }
}

async function take(reader: AsyncIterator<AgentEvent>, count: number): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  while (events.length < count) {
    const { done, value } = await reader.next();
    if (done) break;
    events.push(value);
  }
  return events;
}
/** The numbers that `flood` prints on its lines. */
const numbers = (events: readonly AgentEvent[]) =>
  typed(events, 'text_delta').map(({ delta }) => Number.parseInt(delta, 10));

describe('stalled reader', () => {
  it.each(['stdout', 'stderr'] as const)('blocks an agent that floods %s and bounds memory', async (to) => {
    const finished = join(bench.folder(), 'finished');
    const lines = 1_000_000;
    const steps: Step[] = [
      sessionStart,
      { do: 'flood', lines, bytes: 100, to },
      { do: 'append', path: finished, text: 'x' },
    ];
    const adapter = new CountingAdapter({ steps });
    const { run } = bench.use(adapter);
    // No watchdog may fire while the reader stalls.
    const handle = run({ inactivityTimeout: 1500 });
    const reader = handle[Symbol.asyncIterator]();
    const before = process.memoryUsage().rss;
    const seen = await take(reader, 10);
    const read = await steady(() => adapter.lines, 1800);
    expect(seen).toHaveLength(10);
    // Ahead of the reader: the limit of the log and a chunk or two of the pipe.
    expect(read).toBeLessThan(HIGH_WATER_EVENTS + 3000);
    expect(existsSync(finished)).toBe(false);
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * MB);

    // It continues exactly where it was.
    seen.push(...(await take(reader, 20_000)));
    expect(numbers(seen)).toEqual(Array.from({ length: 20_007 }, (_, i) => i));
    expect(seen.map(({ seq }) => seq)).toEqual(Array.from(seen, (_, i) => i));
    expect((await handle.abort()).exitReason).toBe('aborted');
  });

  it('loses no events, however slowly it reads', async () => {
    const { run } = bench.fake([sessionStart, { do: 'flood', lines: 30_000, bytes: 80 }]);
    const events: AgentEvent[] = [];
    for await (const event of run()) {
      events.push(event);
      if (event.seq % 1000 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    assertEventOrder(events);
    expect(numbers(events)).toEqual(Array.from({ length: 30_000 }, (_, i) => i));
  });

  it('loses no events in batches, of which there are few', async () => {
    const { run } = bench.fake([sessionStart, { do: 'flood', lines: 30_000, bytes: 80 }]);
    const batches: AgentEvent[][] = [];
    for await (const batch of run().batches()) {
      batches.push(batch);
      if (batches.length % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const events = batches.flat();
    assertEventOrder(events);
    expect(numbers(events)).toEqual(Array.from({ length: 30_000 }, (_, i) => i));
    expect(batches.length).toBeLessThan(3000);
    expect(batches.every((batch) => batch.length > 0)).toBe(true);
  });

  it('blocks by bytes, not only by events', async () => {
    const adapter = new CountingAdapter({ steps: [sessionStart, { do: 'flood', lines: 2000, bytes: 200_000 }] });
    const handle = bench.use(adapter).run();
    await take(handle[Symbol.asyncIterator](), 2);
    expect(await steady(() => adapter.lines)).toBeLessThan(80);
    await handle.abort();
  });

  it('unblocks the agent when it stops reading for good', async () => {
    const { run } = bench.fake([sessionStart, { do: 'flood', lines: 20_000, bytes: 100 }]);
    const handle = run();
    for await (const event of handle) if (event.type === 'text_delta') break;
    expect(await handle).toMatchObject({ exitReason: 'completed' });
  });
});

describe('caller that only awaits the result', () => {
  it('never stalls the agent', async () => {
    const { run } = bench.fake([sessionStart, { do: 'flood', lines: 100_000, bytes: 100 }]);
    const result = await run();
    expect(result.exitReason).toBe('completed');
    expect(result.text.length).toBeGreaterThan(100_000 * 60);
  });
});

describe('late reader', () => {
  it('gets every event of a short run, even after its end', async () => {
    const { run } = bench.fake([sessionStart, { do: 'flood', lines: 500, bytes: 100 }]);
    const handle = run();
    await handle;
    const events = await eventsOf(handle);
    assertEventOrder(events);
    expect(numbers(events)).toHaveLength(500);
  });

  it('learns exactly what it missed of a long run', async () => {
    const { run } = bench.fake([sessionStart, { do: 'flood', lines: 50_000, bytes: 100 }]);
    const handle = run();
    await handle;
    const [notice, ...rest] = await eventsOf(handle);
    const first = rest[0]?.seq ?? Number.NaN;
    expect(first).toBeGreaterThan(0);
    expect(notice).toMatchObject({
      type: 'debug',
      code: 'events_missed',
      data: { firstMissed: 0, lastMissed: first - 1 },
      runId: handle.runId,
      agent: 'fake',
    });
    expect(rest.map(({ seq }) => seq)).toEqual(Array.from(rest, (_, i) => first + i));
    expect(rest.at(-1)?.type).toBe('session_end');
    expect(rest.length).toBeGreaterThanOrEqual(RETAINED_EVENTS);
  });
});

describe('several readers', () => {
  it('all get every event; the slowest sets the pace', async () => {
    const adapter = new CountingAdapter({ steps: [sessionStart, { do: 'flood', lines: 50_000, bytes: 100 }] });
    const handle = bench.use(adapter).run();
    const slow = handle[Symbol.asyncIterator]();
    const fast = eventsOf(handle);
    const start = await take(slow, 5);
    expect(await steady(() => adapter.lines)).toBeLessThan(HIGH_WATER_EVENTS + 3000);
    const ending = await take(slow, Number.POSITIVE_INFINITY);
    const everything = await fast;
    assertEventOrder(everything);
    expect([...start, ...ending]).toEqual(everything);
    expect(numbers(everything)).toHaveLength(50_000);
  });
});
