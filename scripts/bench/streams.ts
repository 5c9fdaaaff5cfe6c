/** What the engine makes of an agent's output, beside the bare minimum. */
import { fileURLToPath } from 'node:url';
import type { RunHandle } from '@agent-mux/core';
import { clientFor, LINES, readAwaiting, readBare, readBatches, readEvents, start, writeLines } from './lines.ts';
import { inFreshProcess, median, pair, timed } from './measure.ts';
import type { Row } from './row.ts';

const ROUNDS = 9;
const MANY = 50;
const FRESH_PROCESSES = 3;
const LATER_RUNS = 7;
const MEGABYTE = 1024 * 1024;
const own = fileURLToPath(import.meta.url);

type Reading = (handle: RunHandle) => Promise<number>;

export const awaitRows = (scratch: string) => rowsOf('100,000 lines, awaited', 0.85, readAwaiting, scratch);
export const iterateRows = (scratch: string) => rowsOf('100,000 lines, for await', 0.75, readEvents, scratch);
export const batchRows = (scratch: string) => rowsOf('100,000 lines, in batches', 0.85, readBatches, scratch);

async function rowsOf(name: string, target: number, read: Reading, scratch: string): Promise<Row[]> {
  const file = writeLines(scratch);
  const client = clientFor('cat', [file]);
  const [bare, ours] = await pair(
    ROUNDS,
    async () => expectLines(await readBare('cat', [file])),
    async () => expectLines(await read(start(client, scratch))),
  );
  const detail = `${rate(bare)} lines/s bare, ${rate(ours)} lines/s`;
  return [{ name, value: bare / ours, unit: 'of bare', target, detail }];
}

/** In a process of its own: its heap is that of the runs alone. */
export async function fiftyRows(scratch: string): Promise<Row[]> {
  const name = `${MANY} runs at once, 100,000 lines each`;
  const { bare, ours, peak } = inFreshProcess(own, 'fifty', scratch) as { bare: number; ours: number; peak: number };
  const detail = `${(bare / 1000).toFixed(1)} s bare, ${(ours / 1000).toFixed(1)} s`;
  return [
    { name, value: bare / ours, unit: 'of bare', target: 0.75, detail },
    { name: 'heap of these runs at its highest', value: peak / MEGABYTE, unit: 'MB', target: 200 },
  ];
}

/** The first run of a process is compiled while it runs: how much longer it takes than those that follow. */
export async function firstRunRows(scratch: string): Promise<Row[]> {
  const seen: { first: number; later: number }[] = [];
  for (let i = 0; i < FRESH_PROCESSES; i += 1)
    seen.push(inFreshProcess(own, 'first', scratch) as (typeof seen)[number]);
  const value = median(seen.map(({ first, later }) => first / later));
  const detail = seen.map(({ first, later }) => `${first.toFixed(0)} ms, then ${later.toFixed(0)} ms`).join('; ');
  return [{ name: '100,000 lines, first run of a process', value, unit: 'x', target: 1.5, detail }];
}

export async function idleRunRows(scratch: string): Promise<Row[]> {
  const client = clientFor('true', []);
  const [bare, ours] = await pair(
    25,
    () => readBare('true', []),
    () => readEvents(start(client, scratch)),
  );
  const detail = `${bare.toFixed(1)} ms bare spawn, ${ours.toFixed(1)} ms`;
  return [{ name: 'a run that does nothing, beyond its spawn', value: ours - bare, unit: 'ms', target: 10, detail }];
}

/** A reader that takes one event and stops, while the agent has no end of things to say. */
export async function stalledReaderRows(scratch: string): Promise<Row[]> {
  const client = clientFor(process.execPath, [
    '-e',
    `const l=JSON.stringify({type:'text_delta',delta:'x'.repeat(1000)})+'\\n';const go=()=>{while(process.stdout.write(l));process.stdout.once('drain',go)};go()`,
  ]);
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  await start(client, scratch)[Symbol.asyncIterator]().next();
  let peak = before;
  for (let i = 0; i < 30; i += 1) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    peak = Math.max(peak, process.memoryUsage().rss);
  }
  await client.close();
  const detail = 'the agent is made to wait';
  return [{ name: 'memory with a stalled reader', value: (peak - before) / MEGABYTE, unit: 'MB', target: 64, detail }];
}

async function measureFifty(scratch: string): Promise<{ bare: number; ours: number; peak: number }> {
  const file = writeLines(scratch);
  const client = clientFor('cat', [file]);
  const many = (one: () => Promise<number>) => Promise.all(Array.from({ length: MANY }, one));
  let peak = 0;
  const look = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().heapUsed);
  }, 10);
  const [bare, ours] = await pair(
    3,
    () => many(() => readBare('cat', [file])),
    () => many(() => readAwaiting(start(client, scratch))),
    1,
  );
  clearInterval(look);
  return { bare, ours, peak };
}

async function measureFirst(scratch: string): Promise<{ first: number; later: number }> {
  const client = clientFor('cat', [writeLines(scratch)]);
  const run = () => timed(() => readAwaiting(start(client, scratch)));
  const first = await run();
  const later: number[] = [];
  for (let i = 0; i < LATER_RUNS; i += 1) later.push(await run());
  return { first, later: median(later) };
}

function expectLines(count: number): void {
  if (count !== LINES) throw new Error(`lost lines: ${count} of ${LINES}`);
}

function rate(ms: number): string {
  return Math.round((LINES / ms) * 1000).toLocaleString('en');
}

if (process.argv[1] === own) {
  const [, , what, scratch = ''] = process.argv;
  console.log(JSON.stringify(what === 'fifty' ? await measureFifty(scratch) : await measureFirst(scratch)));
}
