/** How long commands take to start, each in a home where nothing is installed: what is measured is the command. */
import { join } from 'node:path';
import { startBuiltDaemon } from './daemon/built-daemon.ts';
import { pair, runCommand, runWithInput } from './measure.ts';
import type { Row } from './row.ts';

const COMMANDS: readonly { args: readonly string[]; target: number }[] = [
  { args: ['--version'], target: 1.5 },
  { args: ['help'], target: 2.5 },
  { args: ['agents'], target: 2.5 },
  { args: ['sessions', 'list', '--all'], target: 2.5 },
  { args: ['config', 'get', 'claude'], target: 2.5 },
  { args: ['auth'], target: 2.5 },
  { args: ['mcp', 'list'], target: 2.5 },
];

export const amux = join(import.meta.dirname, '../../packages/agent-mux/bin/amux.js');

export async function commandRows(scratch: string): Promise<Row[]> {
  const env = { HOME: scratch, PATH: '/usr/bin:/bin' };
  const rows: Row[] = [];
  for (const { args, target } of COMMANDS) rows.push(await compareWithNode(args, env, target));
  rows.push(await hookRow(scratch));
  return [...rows, ...(await daemonCommandRows(join(scratch, 'with-daemon')))];
}

/** With a running daemon: measures the command, not the start of a daemon. */
async function daemonCommandRows(home: string): Promise<Row[]> {
  const daemon = await startBuiltDaemon(home);
  try {
    return [await compareWithNode(['ps'], daemon.env, 2.5)];
  } finally {
    await daemon.stop();
  }
}

/** A hook call in one of our sessions; both commands get the payload. */
async function hookRow(home: string): Promise<Row> {
  const env = { HOME: home, PATH: '/usr/bin:/bin', AGENT_MUX_SESSION_ID: 'bench' };
  const payload = JSON.stringify({ hook_event_name: 'Stop', session_id: 'bench', text: 'x'.repeat(2000) });
  const call = (args: readonly string[]) => () => runWithInput(process.execPath, args, env, payload);
  const [bare, ours] = await pair(21, call(['-e', '0']), call([amux, 'hooks', 'claude', 'Stop']), 1);
  const detail = `${bare.wall.toFixed(0)} ms node -e 0, ${ours.wall.toFixed(0)} ms`;
  return { name: 'amux hooks AGENT EVENT', value: ours.wall / bare.wall, unit: 'x', target: 1.3, detail };
}

async function compareWithNode(args: readonly string[], env: NodeJS.ProcessEnv, target: number): Promise<Row> {
  const [bare, ours] = await pair(
    9,
    () => runCommand(process.execPath, ['-e', '0'], env),
    () => runCommand(process.execPath, [amux, ...args], env),
    1,
  );
  const detail = `${bare.wall.toFixed(0)} ms node -e 0, ${ours.wall.toFixed(0)} ms`;
  return { name: `amux ${args.join(' ')}`, value: ours.wall / bare.wall, unit: 'x', target, detail };
}
