/**
 * `npm run bench`: measures agent-mux against a bare process. `--only NAME` measures one group (repeatable),
 * `--record` adds the results to docs/benchmarks.json and rewrites docs/benchmarks.md.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bigSessionRows } from './bench/big-sessions.ts';
import { commandRows } from './bench/commands.ts';
import { memoryRows } from './bench/daemon/memory.ts';
import { startRows } from './bench/daemon/start.ts';
import { storeRows } from './bench/daemon/store.ts';
import { turnRows } from './bench/daemon/turns.ts';
import { machineText, record, tableOf } from './bench/history.ts';
import { installedRows } from './bench/installed.ts';
import { watchMachine } from './bench/machine.ts';
import { meetsTarget, type Row, shownValue } from './bench/row.ts';
import { sessionRows } from './bench/sessions.ts';
import { startupRows } from './bench/startup.ts';
import {
  awaitRows,
  batchRows,
  fiftyRows,
  firstRunRows,
  idleRunRows,
  iterateRows,
  stalledReaderRows,
} from './bench/streams.ts';
import { webRows } from './bench/web.ts';

/** Groups in order, each with its own scratch folder. */
const GROUPS: Readonly<Record<string, (scratch: string) => Promise<Row[]>>> = {
  await: awaitRows,
  iterate: iterateRows,
  batches: batchRows,
  fifty: fiftyRows,
  'first-run': firstRunRows,
  'idle-run': idleRunRows,
  'stalled-reader': stalledReaderRows,
  commands: commandRows,
  startup: startupRows,
  installed: installedRows,
  sessions: sessionRows,
  'big-sessions': bigSessionRows,
  turns: turnRows,
  store: storeRows,
  memory: memoryRows,
  ready: startRows,
  web: webRows,
};

const { values } = parseArgs({ options: { only: { type: 'string', multiple: true }, record: { type: 'boolean' } } });
const wanted = values.only ?? Object.keys(GROUPS);
for (const name of wanted) {
  if (Object.hasOwn(GROUPS, name)) continue;
  console.error(`bench: unknown group "${name}". One of: ${Object.keys(GROUPS).join(', ')}`);
  process.exit(2);
}
const scratch = mkdtempSync(join(tmpdir(), 'agent-mux-bench-'));
// Also where it fails or is interrupted.
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }));
process.once('SIGINT', () => process.exit(130));

const machineAfter = watchMachine();
const rows: Row[] = [];
for (const name of wanted) {
  const folder = join(scratch, name);
  mkdirSync(folder);
  const measured = (await GROUPS[name]?.(folder)) ?? [];
  rows.push(...measured);
  if (process.stderr.isTTY) for (const row of measured) console.error(`${row.name}: ${shownValue(row)} ${row.unit}`);
}
const machine = machineAfter();

const lines = rows.map((row) => [
  row.name,
  `${shownValue(row)} ${row.unit}`,
  row.target === undefined ? '' : `${row.target}${meetsTarget(row) ? '' : ' MISSED'}`,
  row.detail ?? '',
]);
console.log(tableOf(['what', 'measured', 'target', 'of what'], lines));
console.log(`\n${machineText(machine)}`);
const missed = rows.filter((row) => !meetsTarget(row));
if (missed.length > 0)
  console.log(`${missed.length} of ${rows.length} miss their target: ${missed.map(({ name }) => name).join('; ')}`);
if (values.record) record({ date: new Date().toISOString().slice(0, 10), commit: commitNow(), machine, rows });

/** A plus: with changes that are not committed. */
function commitNow(): string {
  const git = (...args: string[]) =>
    spawnSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8' }).stdout.trim();
  return `${git('rev-parse', '--short', 'HEAD')}${git('status', '--porcelain', '--untracked-files=no') ? '+' : ''}`;
}
