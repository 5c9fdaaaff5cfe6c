/** How long commands take to start, each in a home where nothing is installed: what is measured is the command. */
import { join } from 'node:path';
import { startBuiltDaemon } from './daemon/built-daemon.ts';
import { pair, runCommand, runWithInput } from './measure.ts';
import type { Row } from './row.ts';

const COMMANDS: readonly { words: readonly string[]; target: number }[] = [
  { words: ['--version'], target: 1.5 },
  { words: ['help'], target: 2.5 },
  { words: ['agents'], target: 2.5 },
  { words: ['sessions', 'list', '--all'], target: 2.5 },
  { words: ['config', 'get', 'claude'], target: 2.5 },
  { words: ['auth'], target: 2.5 },
  { words: ['mcp', 'list'], target: 2.5 },
];

export const amux = join(import.meta.dirname, '../../packages/agent-mux/bin/amux.js');

export async function commandRows(scratch: string): Promise<Row[]> {
  const env = { HOME: scratch, PATH: '/usr/bin:/bin' };
  const rows: Row[] = [];
  for (const { words, target } of COMMANDS) rows.push(await besideNode(words, env, target));
  rows.push(await hookRow(scratch));
  return [...rows, ...(await daemonCommandRows(join(scratch, 'with-daemon')))];
}

/** Of one that runs: what is measured is the command, not the start of a daemon. */
async function daemonCommandRows(home: string): Promise<Row[]> {
  const daemon = await startBuiltDaemon(home);
  try {
    return [await besideNode(['ps'], daemon.env, 2.5)];
  } finally {
    await daemon.stop();
  }
}

/** A call of a hook in a session of ours, with a payload as agents hand it in: both get it. */
async function hookRow(home: string): Promise<Row> {
  const env = { HOME: home, PATH: '/usr/bin:/bin', AGENT_MUX_SESSION_ID: 'bench' };
  const payload = JSON.stringify({ hook_event_name: 'Stop', session_id: 'bench', text: 'x'.repeat(2000) });
  const call = (args: readonly string[]) => () => runWithInput(process.execPath, args, env, payload);
  const [bare, ours] = await pair(21, call(['-e', '0']), call([amux, 'hooks', 'claude', 'Stop']), 1);
  const detail = `${bare.wall.toFixed(0)} ms node -e 0, ${ours.wall.toFixed(0)} ms`;
  return { name: 'amux hooks AGENT EVENT', value: ours.wall / bare.wall, unit: 'x', target: 1.3, detail };
}

async function besideNode(words: readonly string[], env: NodeJS.ProcessEnv, target: number): Promise<Row> {
  const [bare, ours] = await pair(
    9,
    () => runCommand(process.execPath, ['-e', '0'], env),
    () => runCommand(process.execPath, [amux, ...words], env),
    1,
  );
  const detail = `${bare.wall.toFixed(0)} ms node -e 0, ${ours.wall.toFixed(0)} ms`;
  return { name: `amux ${words.join(' ')}`, value: ours.wall / bare.wall, unit: 'x', target, detail };
}
