/** Events stored per second, and the cost of reading a long session compared with a short one. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { openStore } from '../../../packages/daemon/src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../../packages/daemon/src/store/store.ts';
import { createCommit, createSession, NOON } from '../../../packages/daemon/src/store/suite/fixtures.ts';
import { type Cost, costOf, medianCost, pair } from '../measure.ts';
import type { Row } from '../row.ts';

const EVENTS = 500_000;
/** About what one delivery holds of an agent that streams. */
const PER_BATCH = 50;
/** As a daemon does it: the events of a delivery are acknowledged when they are durable. */
const BATCHES_PER_SYNC = 100;
const ROUNDS = 3;
const LONG = 1_000_000;
const SHORT = 1_000;
const READS = 500;
const PAGE = 100;
const NOISE = randomBytes(3_000_000).toString('base64');

export async function storeRows(scratch: string): Promise<Row[]> {
  return [await rateRow(scratch), await pageRow(scratch)];
}

async function rateRow(scratch: string): Promise<Row> {
  const costs: Cost[] = [];
  let bytesEach = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const store = await openStore(join(scratch, `rate-${round}`, 'store.sqlite'), { now: Date.now });
    costs.push(await fill(store, 'a', EVENTS));
    bytesEach = (await store.stats()).bytes / EVENTS;
    await store.close();
  }
  const { wall, cpu } = medianCost(costs);
  const perSecond = (ms: number) => (EVENTS / ms) * 1000;
  const detail = `${whole(perSecond(cpu))} per second of processor, ${bytesEach.toFixed(0)} bytes each`;
  return { name: `events stored, ${PER_BATCH} at once`, value: perSecond(wall), unit: 'per s', target: 50_000, detail };
}

async function pageRow(scratch: string): Promise<Row> {
  const store = await openStore(join(scratch, 'reads', 'store.sqlite'), { now: Date.now });
  try {
    await fill(store, 'short', SHORT);
    await fill(store, 'long', LONG);
    const [short, long] = await pair(
      9,
      () => readSomewhere(store, 'short', SHORT),
      () => readSomewhere(store, 'long', LONG),
    );
    const name = `${PAGE} events after some seq, of ${whole(LONG)} against ${whole(SHORT)}`;
    const detail = `${micros(short.wall)} and ${micros(long.wall)}; ${(long.cpu / short.cpu).toFixed(2)} by CPU time`;
    return { name, value: long.wall / short.wall, unit: 'x', target: 1.5, detail };
  } finally {
    await store.close();
  }
}

/** What it takes to commit them, and to make them durable; not to make them up. */
async function fill(store: Store, id: string, events: number): Promise<Cost> {
  await store.insertSession(createSession(id));
  const spent: Cost = { wall: 0, cpu: 0 };
  const add = async (work: () => Promise<void>) => {
    const { wall, cpu } = await costOf(work);
    spent.wall += wall;
    spent.cpu += cpu;
  };
  for (let from = 0, batches = 1; from < events; from += PER_BATCH, batches += 1) {
    const batch = deliver(id, from, Math.min(from + PER_BATCH, events) - 1);
    await add(() => store.commit([batch]));
    if (batches % BATCHES_PER_SYNC === 0) await add(() => store.sync());
  }
  await add(() => store.sync());
  return spent;
}

function deliver(sessionId: string, from: number, to: number) {
  const lines = Array.from({ length: to - from + 1 }, (_, at) => ({ seq: from + at, line: lineOf(from + at) }));
  return createCommit(sessionId, from, to, { lines, session: { lastActiveAt: NOON + to, statusText: `event ${to}` } });
}

/** A third of a line is text that hardly compresses: repeated words would make the store look better than it is. */
function lineOf(seq: number): string {
  const text = NOISE.slice((seq * 61) % (NOISE.length - 60)).slice(0, 60);
  return `{"type":"text_delta","seq":${seq},"timestamp":${NOON + seq},"runId":"01hrun","agent":"demo","sessionId":"5c1e0f","turnIndex":3,"delta":"${text}"}`;
}

async function readSomewhere(store: Store, id: string, events: number): Promise<void> {
  for (let read = 0; read < READS; read += 1) {
    const after = Math.floor((read * 0.618_033_99 * events) % (events - PAGE));
    const page = await store.readEvents(id, after, PAGE);
    if (page.lines.length !== PAGE || page.lastSeq !== after + PAGE)
      throw new Error(`events are missing after ${after}`);
  }
}

function micros(ms: number): string {
  return `${whole((ms * 1000) / READS)} µs`;
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en');
}
