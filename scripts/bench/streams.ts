/** The engine's throughput compared with a bare process. */
import { fileURLToPath } from 'node:url';
import type { RunHandle } from '@agent-mux/core';
import {
  clientFor,
  expectText,
  LINES,
  readAwaiting,
  readBare,
  readBareEvents,
  readBatches,
  readEvents,
  start,
  writeLines,
} from './lines.ts';
import { type Cost, costOf, inBuiltProcess, inFreshProcess, median, medianCost, pair, timed } from './measure.ts';
import type { Row } from './row.ts';

const ROUNDS = 15;
const MANY = 50;
const FRESH_PROCESSES = 3;
const LATER_RUNS = 7;
const MEGABYTE = 1024 * 1024;
const own = fileURLToPath(import.meta.url);

type Reading = (handle: RunHandle) => Promise<string>;

export const awaitRows = async (scratch: string) => [
  ...(await rowsOf('100,000 lines, awaited', 0.85, readAwaiting, scratch)),
  ...(await floorRows(scratch)),
];
export const iterateRows = (scratch: string) => rowsOf('100,000 lines, for await', 0.75, readEvents, scratch);
export const batchRows = (scratch: string) => rowsOf('100,000 lines, in batches', 0.85, readBatches, scratch);

async function rowsOf(name: string, target: number, read: Reading, scratch: string): Promise<Row[]> {
  const file = writeLines(scratch);
  const client = clientFor('cat', [file]);
  return [{ ...(await compareWithBare(name, file, () => read(start(client, scratch)))), target }];
}

/** How near to bare an engine can come at all. */
async function floorRows(scratch: string): Promise<Row[]> {
  const file = writeLines(scratch);
  return [await compareWithBare('100,000 lines, events without the engine', file, () => readBareEvents('cat', [file]))];
}

async function compareWithBare(name: string, file: string, read: () => Promise<string>): Promise<Row> {
  const [bare, ours] = await pair(
    ROUNDS,
    async () => expectText(await readBare('cat', [file]), file),
    async () => expectText(await read(), file),
  );
  const detail = `${rate(bare)} lines/s bare, ${rate(ours)} lines/s; ${byCpu(bare, ours)}`;
  return { name, value: bare.wall / ours.wall, unit: 'of bare', detail };
}

/** Each in a separate process, because the heap left by fifty texts slows down the next run. */
export async function fiftyRows(scratch: string): Promise<Row[]> {
  writeLines(scratch);
  const bares: Cost[] = [];
  const runs: (Cost & { peak: number })[] = [];
  for (let round = 0; round < 3; round += 1) {
    bares.push(inFreshProcess(own, 'fifty-bare', scratch) as Cost);
    runs.push(inFreshProcess(own, 'fifty', scratch) as (typeof runs)[number]);
  }
  const [bare, ours] = [medianCost(bares), medianCost(runs)];
  const value = bare.wall / ours.wall;
  const detail = `${(bare.wall / 1000).toFixed(1)} s bare, ${(ours.wall / 1000).toFixed(1)} s; ${byCpu(bare, ours)}`;
  const peak = median(runs.map((run) => run.peak)) / MEGABYTE;
  return [
    { name: `${MANY} runs at once, 100,000 lines each`, value, unit: 'of bare', target: 0.75, detail },
    { name: 'heap of these runs at its highest', value: peak, unit: 'MB', target: 200 },
  ];
}

/**
 * The first run of a process is loaded and compiled while it runs: how much longer it takes than those that follow. Of
 * what is built, since the sources are more to load.
 */
export async function firstRunRows(scratch: string): Promise<Row[]> {
  const seen: { first: number; later: number }[] = [];
  writeLines(scratch);
  for (let i = 0; i < FRESH_PROCESSES; i += 1)
    seen.push(inBuiltProcess(own, 'first', scratch) as (typeof seen)[number]);
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
  const value = ours.wall - bare.wall;
  const detail = `${bare.wall.toFixed(1)} ms bare spawn, ${ours.wall.toFixed(1)} ms`;
  return [{ name: 'a run that does nothing, beyond its spawn', value, unit: 'ms', target: 10, detail }];
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

async function measureFiftyBare(scratch: string): Promise<Cost> {
  const file = writeLines(scratch);
  return costOf(() => fifty(file, () => readBare('cat', [file])));
}

async function measureFifty(scratch: string): Promise<Cost & { peak: number }> {
  const file = writeLines(scratch);
  const client = clientFor('cat', [file]);
  let peak = 0;
  const look = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().heapUsed);
  }, 10);
  const cost = await costOf(() => fifty(file, () => readAwaiting(start(client, scratch))));
  clearInterval(look);
  return { ...cost, peak };
}

async function fifty(file: string, read: () => Promise<string>): Promise<void> {
  for (const text of await Promise.all(Array.from({ length: MANY }, read))) expectText(text, file);
}

async function measureFirst(scratch: string): Promise<{ first: number; later: number }> {
  const file = writeLines(scratch);
  const client = clientFor('cat', [file]);
  const run = () => timed(async () => expectText(await readAwaiting(start(client, scratch)), file));
  const first = await run();
  const later: number[] = [];
  for (let i = 0; i < LATER_RUNS; i += 1) later.push(await run());
  return { first, later: median(later) };
}

function rate({ wall }: Cost): string {
  return Math.round((LINES / wall) * 1000).toLocaleString('en');
}

function byCpu(bare: Cost, ours: Cost): string {
  return `${(bare.cpu / ours.cpu).toFixed(2)} by CPU time`;
}

const IN_FRESH_PROCESS: Readonly<Record<string, (scratch: string) => Promise<unknown>>> = {
  fifty: measureFifty,
  'fifty-bare': measureFiftyBare,
  first: measureFirst,
};

if (process.argv[1] === own) {
  const [, , what = '', scratch = ''] = process.argv;
  console.log(JSON.stringify(await IN_FRESH_PROCESS[what]?.(scratch)));
}
