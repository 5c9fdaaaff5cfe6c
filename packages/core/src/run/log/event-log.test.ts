import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../contract/events.ts';
import { EventLog, HIGH_WATER_BYTES, HIGH_WATER_EVENTS, RETAINED_BYTES, RETAINED_EVENTS } from './event-log.ts';

const numbered = (seq: number): AgentEvent => ({
  type: 'text_delta',
  delta: 'x',
  agent: 'fake',
  runId: 'r',
  turnIndex: 0,
  seq,
  timestamp: 0,
});

function filled(count: number, log = new EventLog(() => {})): EventLog {
  for (let seq = 0; seq < count; seq++) log.push(numbered(seq), 1);
  return log;
}
const seqOf = ({ value }: IteratorResult<AgentEvent, void>) => value?.seq;

describe('reading events', () => {
  it('answers calls of next() in order, including early ones', async () => {
    const log = new EventLog(() => {});
    const reader = log.read();
    const calls = [reader.next(), reader.next(), reader.next()];
    filled(2, log);
    log.end();
    const [first, second, third] = await Promise.all(calls);
    expect([first, second].map((result) => result && seqOf(result))).toEqual([0, 1]);
    expect(third?.done).toBe(true);
  });

  it('ends pending calls when the reader is closed', async () => {
    const reader = new EventLog(() => {}).read();
    const waiting = reader.next();
    expect(await reader.return?.()).toMatchObject({ done: true });
    expect((await waiting).done).toBe(true);
    expect((await reader.next()).done).toBe(true);
  });

  it('gives a failure once, after the events, to every reader', async () => {
    const log = filled(1);
    const [early, waiting] = [log.read(), log.read()];
    await waiting.next();
    const next = waiting.next();
    log.end(new Error('no such agent'));
    await expect(next).rejects.toThrow('no such agent');
    expect(seqOf(await early.next())).toBe(0);
    await expect(early.next()).rejects.toThrow('no such agent');
    expect((await early.next()).done).toBe(true);
    const late = log.read();
    expect(seqOf(await late.next())).toBe(0);
    await expect(late.next()).rejects.toThrow('no such agent');
  });
});

describe('reading events in batches', () => {
  const seqsOf = ({ value }: IteratorResult<AgentEvent[], void>) => value?.map(({ seq }) => seq);

  it('returns the events since the last batch, in order and never empty', async () => {
    const log = filled(3);
    const reader = log.readBatches();
    expect(seqsOf(await reader.next())).toEqual([0, 1, 2]);
    const next = reader.next();
    for (const seq of [3, 4]) log.push(numbered(seq), 1);
    expect(seqsOf(await next)).toEqual([3, 4]);
    const last = reader.next();
    log.end();
    expect((await last).done).toBe(true);
  });

  it('answers calls of next() in order, including early ones', async () => {
    const log = new EventLog(() => {});
    const reader = log.readBatches();
    const calls = [reader.next(), reader.next()];
    log.push(numbered(0), 1);
    await calls[0];
    log.push(numbered(1), 1);
    log.end();
    expect((await Promise.all(calls)).map(seqsOf)).toEqual([[0], [1]]);
    expect((await reader.next()).done).toBe(true);
  });

  it('returns the remaining events, then the failure', async () => {
    const log = filled(2);
    const reader = log.readBatches();
    log.end(new Error('no such agent'));
    expect(seqsOf(await reader.next())).toEqual([0, 1]);
    await expect(reader.next()).rejects.toThrow('no such agent');
    expect((await reader.next()).done).toBe(true);
  });

  it('limits the length of a batch', async () => {
    const reader = filled(RETAINED_EVENTS * 2).readBatches();
    expect(seqsOf(await reader.next())).toHaveLength(HIGH_WATER_EVENTS);
    expect(seqsOf(await reader.next())?.[0]).toBe(HIGH_WATER_EVENTS);
  });

  it('blocks the agent while a batch is processed', async () => {
    let drained = 0;
    const log = new EventLog(() => void drained++);
    const reader = log.readBatches();
    filled(HIGH_WATER_EVENTS + 1, log);
    expect(seqsOf(await reader.next())).toHaveLength(HIGH_WATER_EVENTS);
    expect([log.full, drained]).toEqual([true, 0]);
    void reader.next();
    expect([log.full, drained]).toEqual([false, 1]);
  });

  it('first reports missed events to a late reader', async () => {
    const log = filled(RETAINED_EVENTS * 3);
    const { value: batch } = await log.readBatches().next();
    const first = batch?.[1]?.seq ?? 0;
    expect(first).toBeGreaterThan(0);
    expect(batch?.[0]).toMatchObject({ code: 'events_missed', data: { firstMissed: 0, lastMissed: first - 1 } });
  });

  it('has processed a batch only when it requests the next', async () => {
    const log = filled(2);
    const reader = log.readBatches();
    const order: string[] = [];
    const settled = log.settled(2).then(() => order.push('settled'));
    await reader.next();
    await new Promise((resolve) => setImmediate(resolve));
    order.push('asks');
    void reader.next();
    await settled;
    expect(order).toEqual(['asks', 'settled']);
  });

  it('ends pending calls when it is closed, even with events in flight', async () => {
    const log = new EventLog(() => {});
    const reader = log.readBatches();
    const waiting = reader.next();
    log.push(numbered(0), 1);
    await reader.return?.();
    expect((await waiting).done).toBe(true);
  });
});

describe('log capacity', () => {
  it('is full only while a reader lags, and reports when it has caught up', async () => {
    let drained = 0;
    const log = filled(HIGH_WATER_EVENTS + 1, new EventLog(() => void drained++));
    expect(log.full).toBe(false);
    const reader = log.read();
    expect(log.full).toBe(true);
    await reader.next();
    expect([log.full, drained]).toEqual([true, 0]);
    await reader.next();
    expect([log.full, drained]).toEqual([false, 1]);
  });

  it('is also limited by bytes', () => {
    const log = new EventLog(() => {});
    log.read();
    log.push(numbered(0), HIGH_WATER_BYTES + 1);
    expect(log.full).toBe(true);
  });

  it('unblocks the engine when the lagging reader leaves', async () => {
    let drained = 0;
    const log = filled(HIGH_WATER_EVENTS + 1, new EventLog(() => void drained++));
    const reader = log.read();
    expect(log.full).toBe(true);
    await reader.return?.();
    expect([log.full, drained]).toEqual([false, 1]);
  });

  it('drops the oldest events by bytes without readers', async () => {
    const log = new EventLog(() => {});
    for (let seq = 0; seq < 100; seq++) log.push(numbered(seq), RETAINED_BYTES / 10);
    log.end();
    const reader = log.read();
    const notice = await reader.next();
    const first = seqOf(await reader.next());
    expect(first).toBeGreaterThan(80);
    expect(notice.value).toMatchObject({
      code: 'events_missed',
      data: { firstMissed: 0, lastMissed: (first ?? 0) - 1 },
    });
  });
});

describe('settled', () => {
  it('waits until every reader has requested more', async () => {
    const log = filled(2);
    const [first, second] = [log.read(), log.read()];
    const order: string[] = [];
    const settled = log.settled(2).then(() => order.push('settled'));
    await first.next();
    await first.next();
    void first.next();
    await second.next();
    await second.next();
    await new Promise((resolve) => setImmediate(resolve));
    order.push('asks');
    void second.next();
    await settled;
    expect(order).toEqual(['asks', 'settled']);
  });

  it('does not wait without readers', async () => {
    await filled(2).settled(2);
    const log = filled(2);
    const reader = log.read();
    const settled = log.settled(2);
    await reader.return?.();
    await settled;
  });
});
