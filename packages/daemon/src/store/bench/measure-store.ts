/**
 * How many events a second the store takes, and what reading costs in a long session beside a short one. By hand:
 * `node --conditions=agent-mux-source packages/daemon/src/store/bench/measure-store.ts`
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../sqlite/sqlite-store.ts';
import type { Store } from '../store.ts';
import { makeCommit, makeSession, NOON } from '../suite/made-up.ts';

const NOISE = randomBytes(3_000_000).toString('base64');
const LONG = 1_000_000;
const SHORT = 1_000;
const READS = 2_000;
const PAGE = 100;
/** As a daemon does it: the events of a delivery are acknowledged when they are durable. */
const BATCHES_PER_SYNC = 100;

/** A third of a line is text that hardly compresses: repeated words would make the store look better than it is. */
function lineOf(seq: number): string {
  const text = NOISE.slice((seq * 61) % (NOISE.length - 60)).slice(0, 60);
  return `{"type":"text_delta","seq":${seq},"timestamp":${NOON + seq},"runId":"01hrun","agent":"demo","sessionId":"5c1e0f","turnIndex":3,"delta":"${text}"}`;
}

/** Both: a busy machine changes the clock's time much and the processor's little, and waiting for the disk is in the first alone. */
interface Spent {
  wallMs: number;
  cpuMs: number;
}

async function measure(spent: Spent, work: () => Promise<unknown>): Promise<void> {
  const wall = performance.now();
  const cpu = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(cpu);
  spent.wallMs += performance.now() - wall;
  spent.cpuMs += (user + system) / 1_000;
}

function deliver(sessionId: string, from: number, to: number) {
  const lines = Array.from({ length: to - from + 1 }, (_, at) => ({ seq: from + at, line: lineOf(from + at) }));
  return makeCommit(sessionId, from, to, { lines, session: { lastActiveAt: NOON + to, lastLine: `event ${to}` } });
}

async function fill(store: Store, id: string, events: number, perBatch: number): Promise<Spent> {
  await store.insertSession(makeSession(id));
  const spent = { wallMs: 0, cpuMs: 0 };
  for (let from = 0, batches = 1; from < events; from += perBatch, batches += 1) {
    const batch = deliver(id, from, Math.min(from + perBatch, events) - 1);
    await measure(spent, () => store.commit([batch]));
    if (batches % BATCHES_PER_SYNC === 0) await measure(spent, () => store.sync());
  }
  await measure(spent, () => store.sync());
  return spent;
}

async function readSomewhere(store: Store, id: string, events: number): Promise<Spent> {
  const spent = { wallMs: 0, cpuMs: 0 };
  await measure(spent, async () => {
    for (let read = 0; read < READS; read += 1) {
      const after = Math.floor((read * 0.618_033_99 * events) % (events - PAGE));
      const page = await store.readEvents(id, after, PAGE);
      if (page.lines.length !== PAGE || page.last !== after + PAGE)
        throw new Error(`events are missing after ${after}`);
    }
  });
  return spent;
}

const whole = (value: number) => Math.round(value).toLocaleString('en');
const folder = await mkdtemp(join(tmpdir(), 'agent-mux-store-'));
try {
  for (const [at, perBatch] of [1, 10, 50, 200, 500].entries()) {
    const store = await openStore(join(folder, `rate-${at}`, 'store.sqlite'), { now: Date.now });
    const events = perBatch < 50 ? 50_000 : 500_000;
    const spent = await fill(store, 'a', events, perBatch);
    const { bytes } = await store.stats();
    const [wall, cpu] = [spent.wallMs, spent.cpuMs].map((ms) => whole((events * 1_000) / ms));
    console.log(
      `batches of ${perBatch}: ${wall} events a second, ${cpu} per second of processor, ${(bytes / events).toFixed(1)} bytes each`,
    );
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
    const [wall, cpu] = [spent.wallMs, spent.cpuMs].map((ms) => whole((ms * 1_000) / READS));
    console.log(`${PAGE} events out of ${whole(events)}: ${wall} µs, ${cpu} µs of processor`);
  }
  await store.close();
} finally {
  await rm(folder, { recursive: true, force: true });
}
