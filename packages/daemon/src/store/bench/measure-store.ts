/**
 * How many events a second the store takes, and what reading costs in a long session beside a short one. By hand:
 * `node --conditions=agent-mux-source packages/daemon/src/store/bench/measure-store.ts`
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../sqlite/sqlite-store.ts';
import type { Store } from '../store.ts';
import { makeCommit, makeSession, NOON } from '../suite/made-up.ts';

const LONG = 1_000_000;
const SHORT = 1_000;
const READS = 2_000;
const PAGE = 100;
/** As a daemon does it: the events of a delivery are acknowledged when they are durable. */
const BATCHES_PER_SYNC = 100;

function lineOf(seq: number): string {
  const text = (seq * 2_654_435_761).toString(36);
  return `{"type":"text_delta","seq":${seq},"timestamp":${NOON + seq},"runId":"01hrun","agent":"demo","sessionId":"5c1e0f","turnIndex":3,"delta":"words ${text} and more"}`;
}

function deliver(sessionId: string, from: number, to: number) {
  const lines = Array.from({ length: to - from + 1 }, (_, at) => ({ seq: from + at, line: lineOf(from + at) }));
  return makeCommit(sessionId, from, to, { lines, session: { lastActiveAt: NOON + to, lastLine: `event ${to}` } });
}

async function fill(store: Store, id: string, events: number, perBatch: number): Promise<number> {
  await store.insertSession(makeSession(id));
  let spent = 0;
  for (let from = 0, batches = 1; from < events; from += perBatch, batches += 1) {
    const batch = deliver(id, from, Math.min(from + perBatch, events) - 1);
    const begun = performance.now();
    await store.commit([batch]);
    if (batches % BATCHES_PER_SYNC === 0) await store.sync();
    spent += performance.now() - begun;
  }
  const begun = performance.now();
  await store.sync();
  return spent + performance.now() - begun;
}

async function readSomewhere(store: Store, id: string, events: number): Promise<number> {
  const begun = performance.now();
  for (let read = 0; read < READS; read += 1) {
    const after = Math.floor((read * 0.618_033_99 * events) % (events - PAGE));
    const page = await store.readEvents(id, after, PAGE);
    if (page.lines.length !== PAGE || page.last !== after + PAGE) throw new Error(`events are missing after ${after}`);
  }
  return ((performance.now() - begun) * 1_000) / READS;
}

const folder = await mkdtemp(join(tmpdir(), 'agent-mux-store-'));
try {
  for (const [at, perBatch] of [1, 10, 50, 200, 500].entries()) {
    const store = await openStore(join(folder, `rate-${at}`, 'store.sqlite'), { now: Date.now });
    const events = perBatch < 50 ? 50_000 : 500_000;
    const spent = await fill(store, 'a', events, perBatch);
    const { bytes } = await store.stats();
    const rate = Math.round((events * 1_000) / spent).toLocaleString('en');
    console.log(`batches of ${perBatch}: ${rate} events a second, ${(bytes / events).toFixed(1)} bytes each`);
    await store.close();
  }
  const store = await openStore(join(folder, 'reads', 'store.sqlite'), { now: Date.now });
  await fill(store, 'short', SHORT, 50);
  await fill(store, 'long', LONG, 50);
  for (const [id, events] of [
    ['short', SHORT],
    ['long', LONG],
    ['short', SHORT],
    ['long', LONG],
  ] as const) {
    const spent = await readSomewhere(store, id, events);
    console.log(`${PAGE} events out of ${events.toLocaleString('en')}: ${spent.toFixed(0)} µs`);
  }
  await store.close();
} finally {
  await rm(folder, { recursive: true, force: true });
}
