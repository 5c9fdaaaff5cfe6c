/** What the bench has measured so far: kept in docs/benchmarks.json, shown side by side in docs/benchmarks.md. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Machine } from './machine.ts';
import { meetsTarget, type Row, shownValue } from './row.ts';

/** So many of the last runs are shown; the file keeps all. */
const SHOWN_RUNS = 5;

export interface BenchRun {
  date: string;
  commit: string;
  machine: Machine;
  rows: Row[];
}

interface History {
  schema: 'agent-mux-benchmarks/1';
  runs: BenchRun[];
}

const docs = join(import.meta.dirname, '../../docs');

export function record(run: BenchRun): void {
  const file = join(docs, 'benchmarks.json');
  const known: History = existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as History)
    : { schema: 'agent-mux-benchmarks/1', runs: [] };
  const history: History = { ...known, runs: [...known.runs, run] };
  writeFileSync(file, `${JSON.stringify(history, null, 2)}\n`);
  writeFileSync(join(docs, 'benchmarks.md'), benchmarksPage(history.runs));
}

export function benchmarksPage(runs: readonly BenchRun[]): string {
  const shown = runs.slice(-SHOWN_RUNS);
  const last = new Map(runs.flatMap(({ rows }) => rows.map((row) => [row.name, row] as const)));
  const head = ['what', 'unit', 'target', ...shown.map(({ date, commit }) => `${date} ${commit}`), 'the last one'];
  const lines = [...last.values()].map((row) => [
    row.name,
    row.unit,
    row.target === undefined ? '' : String(row.target),
    ...shown.map(({ rows }) => cell(rows.find(({ name }) => name === row.name))),
    row.detail ?? '',
  ]);
  return `# Benchmarks

Made by \`npm run bench -- --record\`, which adds to [benchmarks.json](benchmarks.json): the last runs side by side, so that a step back
is seen. Ratios are made within one run: what is compared is measured in turns on the same machine, and the medians are compared. "Bare" is
what everybody does who reads an agent by hand: a process, its output cut into lines, each of them parsed, the text collected. \`of bare\`: its
time by ours, more is better, as of \`per s\`; all else: less is better. A number in bold misses its target.

"Made events by hand" is bare with what no engine can leave out: each line becomes an event, of which the last thousand are kept. What a run
costs beyond that is the check of each event at the border, its place in the sequence, and text that is moved out of the heap while it grows.
The first run of a process also loads and compiles all of it.

Through the daemon: a session that is open, a message sent over HTTP, events read as they come; beside it the same CLI kept open by hand,
lines in and lines out, on the same scripted model. What a first delta takes longer is some milliseconds, whatever the model takes: the
message is a row before it is sent, and a line of the journal that survives a loss of power before the agent gets it; an answer is journaled
and stored before it is told. A model that answers at once, as the scripted one does, makes a large share of that. Many deltas are written and
told together; what remains are two more processes for each of them, on the cores that the agent works on as well.

RSS of the daemon: the half of it is node itself, a sixth what node loads for HTTP requests and responses, a tenth the schemas of the API. It
grows with its first sessions by the code that is compiled for them, and then hardly any more.

${tableOf(head, lines)}

${shown.map(({ date, commit, machine }) => `- ${date} ${commit}: ${machineWords(machine)}`).join('\n')}
`;
}

export function machineWords({ node, cores, loadBefore, loadAfter }: Machine): string {
  const busy = Math.max(loadBefore, loadAfter) > cores;
  return `node ${node}, ${cores} cores, load ${loadBefore} before and ${loadAfter} after${busy ? ' (a busy machine: read the ratios with care)' : ''}`;
}

function cell(row: Row | undefined): string {
  if (!row) return '';
  return meetsTarget(row) ? shownValue(row) : `**${shownValue(row)}**`;
}

export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, i) => Math.max(...[head, ...rows].map((row) => row[i]?.length ?? 0)));
  const line = (row: readonly string[]) => `| ${row.map((text, i) => text.padEnd(widths[i] ?? 0)).join(' | ')} |`;
  return [line(head), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...rows.map(line)].join('\n');
}
