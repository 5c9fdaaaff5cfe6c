/** `npm run bench`: ratios against the bare minimum, measured in one run on one machine. `--write` keeps the table in docs/benchmarks.md. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  BaseAgentAdapter,
  createClient,
  type EventBody,
  NO_CAPABILITIES,
  type ResolvedRunOptions,
  type SpawnArgs,
} from '@agent-mux/core';
import { bigSessionRows } from './bench/big-sessions.ts';
import { installedRows } from './bench/installed.ts';
import { sessionRows } from './bench/sessions.ts';

const LINES = 100_000;
/** Each in a home where nothing is installed: what is measured is the command. */
const COMMANDS = [
  ['help'],
  ['agents'],
  ['sessions', 'list', '--all'],
  ['config', 'get', 'claude'],
  ['auth'],
  ['mcp', 'list'],
];
const root = join(import.meta.dirname, '..');
const scratch = mkdtempSync(join(tmpdir(), 'agent-mux-bench-'));
// Also where it fails or is interrupted.
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }));
process.once('SIGINT', () => process.exit(130));
const data = join(scratch, 'lines.jsonl');
writeFileSync(
  data,
  Array.from(
    { length: LINES },
    (_, i) =>
      `${JSON.stringify({ type: 'text_delta', delta: `word ${i} of a long answer that an agent streams, about as long as usual` })}\n`,
  ).join(''),
);

/** An agent whose lines are events: what is measured is the engine, not a decoder. */
class BenchAdapter extends BaseAgentAdapter {
  readonly agent = 'bench';
  readonly displayName = 'Bench';
  readonly cliCommand: string;
  override readonly capabilities = {
    ...NO_CAPABILITIES,
    approvalModes: ['yolo' as const],
    supportsTextStreaming: true,
  };
  override readonly needsNoInstall = true;
  readonly #args: readonly string[];
  constructor(command: string, args: readonly string[]) {
    super();
    this.cliCommand = command;
    this.#args = args;
  }
  buildSpawnArgs(options: ResolvedRunOptions): SpawnArgs {
    return { command: this.cliCommand, args: [...this.#args], env: {}, cwd: options.cwd, usePty: false };
  }
  parseEvent(line: string): EventBody {
    return JSON.parse(line) as EventBody;
  }
}

function clientFor(command: string, args: readonly string[]) {
  return createClient({ adapters: [new BenchAdapter(command, args)], runIndex: false });
}

const request = { agent: 'bench', prompt: 'go', approvalMode: 'yolo' as const, cwd: scratch };

async function bare(command: string, args: readonly string[]): Promise<number> {
  const started = performance.now();
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  let rest = '';
  let count = 0;
  child.stdout.setEncoding('utf8');
  child.stdout.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if ((JSON.parse(line) as { type: string }).type === 'text_delta') count += 1;
  });
  await new Promise((resolve) => child.on('close', resolve));
  if (count === 0 && args.length > 0 && args[0] === data) throw new Error('nothing was read');
  return performance.now() - started;
}

async function piped(command: string, args: readonly string[]): Promise<number> {
  const client = clientFor(command, args);
  const started = performance.now();
  let count = 0;
  for await (const event of client.run(request)) if (event.type === 'text_delta') count += 1;
  const took = performance.now() - started;
  if (args[0] === data && count !== LINES) throw new Error(`lost events: ${count} of ${LINES}`);
  return took;
}

/** The two are measured in turns, so that what else the machine does falls on both; the medians are compared. */
async function pair(
  rounds: number,
  one: () => Promise<number>,
  other: () => Promise<number>,
): Promise<[number, number]> {
  const ones: number[] = [];
  const others: number[] = [];
  await one();
  await other();
  for (let i = 0; i < rounds; i++) {
    ones.push(await one());
    others.push(await other());
  }
  return [median(ones), median(others)];
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

async function time(command: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<number> {
  const started = performance.now();
  const child = spawn(command, args, { stdio: 'ignore', env });
  await new Promise((resolve) => child.on('close', resolve));
  return performance.now() - started;
}

async function fifty(): Promise<number> {
  const client = clientFor('cat', [data]);
  const started = performance.now();
  const results = await Promise.all(Array.from({ length: 50 }, () => client.run(request)));
  if (results.some((result) => result.exitReason !== 'completed')) throw new Error('a run failed');
  return performance.now() - started;
}

async function fiftyBare(): Promise<number> {
  const started = performance.now();
  await Promise.all(Array.from({ length: 50 }, () => bare('cat', [data])));
  return performance.now() - started;
}

/** A reader that takes one event and stops, while the agent has 100 MB to say. */
async function stalledReader(): Promise<number> {
  const client = clientFor(process.execPath, [
    '-e',
    `const l=JSON.stringify({type:'text_delta',delta:'x'.repeat(1000)})+'\\n';const go=()=>{while(process.stdout.write(l));process.stdout.once('drain',go)};go()`,
  ]);
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  const handle = client.run(request);
  const reader = handle[Symbol.asyncIterator]();
  await reader.next();
  let peak = 0;
  for (let i = 0; i < 30; i++) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    peak = Math.max(peak, process.memoryUsage().rss);
  }
  await client.close();
  return (peak - before) / 1024 / 1024;
}

const rows: [string, string, string, string][] = [];
const [bareLines, ourLines] = await pair(
  7,
  () => bare('cat', [data]),
  () => piped('cat', [data]),
);
rows.push([
  '100,000 lines, process to consumer',
  `${rate(bareLines)} lines/s bare`,
  `${rate(ourLines)} lines/s`,
  `${(bareLines / ourLines).toFixed(2)} of bare (target 0.85)`,
]);
const [bareSpawn, ourSpawn] = await pair(
  25,
  () => bare('true', []),
  () => piped('true', []),
);
rows.push([
  'a run that does nothing',
  `${bareSpawn.toFixed(1)} ms bare spawn`,
  `${ourSpawn.toFixed(1)} ms`,
  `+${(ourSpawn - bareSpawn).toFixed(1)} ms (target 10)`,
]);
const [bareFifty, ourFifty] = await pair(1, fiftyBare, fifty);
rows.push([
  '50 runs at once, 100,000 lines each',
  `${(bareFifty / 1000).toFixed(1)} s bare`,
  `${(ourFifty / 1000).toFixed(1)} s`,
  `${(bareFifty / ourFifty).toFixed(2)} of bare`,
]);
rows.push([
  'memory with a stalled reader',
  '-',
  `+${(await stalledReader()).toFixed(0)} MB`,
  'bounded (agent is made to wait)',
]);
const amux = join(root, 'packages/agent-mux/bin/amux.js');
const [bareNode, ourVersion] = await pair(
  15,
  () => time(process.execPath, ['-e', '0']),
  () => time(process.execPath, [amux, '--version']),
);
rows.push([
  'amux --version',
  `${bareNode.toFixed(0)} ms node -e 0`,
  `${ourVersion.toFixed(0)} ms`,
  `${(ourVersion / bareNode).toFixed(2)} x (target 1.5)`,
]);
for (const words of COMMANDS) {
  const env = { HOME: scratch, PATH: '/usr/bin:/bin' };
  const [bareStart, ours] = await pair(
    7,
    () => time(process.execPath, ['-e', '0'], env),
    () => time(process.execPath, [amux, ...words], env),
  );
  rows.push([
    `amux ${words.join(' ')}`,
    `${bareStart.toFixed(0)} ms node -e 0`,
    `${ours.toFixed(0)} ms`,
    `${(ours / bareStart).toFixed(2)} x`,
  ]);
}
rows.push(...(await installedRows(scratch, (words, env) => time(process.execPath, [amux, ...words], env))));
rows.push(...(await sessionRows(scratch)));
rows.push(...(await bigSessionRows(scratch)));

function rate(ms: number): string {
  return Math.round((LINES / ms) * 1000).toLocaleString('en');
}

const header: [string, string, string, string] = ['what', 'bare', 'agent-mux', 'ratio'];
const widths = header.map((_, i) => Math.max(...[header, ...rows].map((row) => row[i]!.length)));
const line = (row: readonly string[]) => `| ${row.map((cell, i) => cell.padEnd(widths[i]!)).join(' | ')} |`;
const table = [line(header), `|${widths.map((w) => '-'.repeat(w + 2)).join('|')}|`, ...rows.map(line)].join('\n');
console.log(table);
if (process.argv.includes('--write')) {
  const text = `# Benchmarks

Ratios in one run, made by \`npm run bench -- --write\`: each pair is measured in turns on the same machine and the medians are compared.
Here: node ${process.versions.node}, ${cpus().length} cores, ${new Date().toISOString().slice(0, 10)}.

${table}
`;
  writeFileSync(join(root, 'docs/benchmarks.md'), text);
}
