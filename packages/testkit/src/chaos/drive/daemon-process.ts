import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { waitFor } from './wait.ts';

/** How the daemon is started as a program: node and its arguments. */
export interface DaemonCommand {
  command: string;
  args: readonly string[];
}

export interface RunningDaemon {
  pid: number;
  url: string;
  token: string;
  /** Absent: a command of the user has started it. */
  child?: ChildProcess;
  /** From the start of the process until it had adopted its sessions. */
  readyMs: number;
}

export function daemonFolder(state: string): string {
  return join(state, 'agent-mux', 'daemon');
}

/** Not ready, only started. It is detached: its parent may exit. */
export function spawnDaemon({ command, args }: DaemonCommand, env: Record<string, string>, log: string): ChildProcess {
  mkdirSync(dirname(log), { recursive: true });
  const output = openSync(log, 'a');
  const child = spawn(command, args, { env, stdio: ['ignore', output, output], detached: true });
  closeSync(output);
  child.on('error', () => {});
  return child;
}

/** Resolves when the record that programs find it by has this pid. */
export async function startDaemon(
  command: DaemonCommand,
  env: Record<string, string>,
  log: string,
  limitMs = 30_000,
): Promise<RunningDaemon> {
  const started = performance.now();
  const child = spawnDaemon(command, env, log);
  const state = env.XDG_STATE_HOME ?? '';
  const { url, token } = await waitFor('the daemon is ready', limitMs, () => {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`the daemon ended with ${child.signalCode ?? child.exitCode}: ${tailOf(log)}`);
    return readRecord(state, child.pid);
  });
  return { pid: child.pid!, url, token, child, readyMs: performance.now() - started };
}

/** As any command does that needs a daemon and finds none. */
export async function startByCommand(
  { command, args }: DaemonCommand,
  env: Record<string, string>,
  limitMs = 30_000,
): Promise<RunningDaemon> {
  const started = performance.now();
  const before = readRecord(env.XDG_STATE_HOME ?? '')?.pid;
  const { code, output } = await new Promise<{ code: number | null; output: string }>((resolve, reject) => {
    const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'], timeout: limitMs });
    let printed = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data) => {
        printed += String(data);
      });
    child.on('error', reject);
    child.on('exit', (exitCode) => resolve({ code: exitCode, output: printed }));
  });
  const record = readRecord(env.XDG_STATE_HOME ?? '');
  if (code !== 0 || !record || record.pid === before)
    throw new Error(`${args.join(' ')} ended with ${code} and no new daemon: ${output.slice(-500)}`);
  return { ...record, readyMs: performance.now() - started };
}

/** How any program finds a daemon; undefined: none, or not this one. */
export function readRecord(state: string, pid?: number): { pid: number; url: string; token: string } | undefined {
  try {
    const folder = daemonFolder(state);
    const record: unknown = JSON.parse(readFileSync(join(folder, 'daemon.json'), 'utf8'));
    if (typeof record !== 'object' || record === null || !('pid' in record) || !('url' in record)) return undefined;
    if (typeof record.pid !== 'number' || typeof record.url !== 'string') return undefined;
    if (pid !== undefined && record.pid !== pid) return undefined;
    return { pid: record.pid, url: record.url, token: readFileSync(join(folder, 'token'), 'utf8').trim() };
  } catch {
    return undefined;
  }
}

export function tailOf(log: string): string {
  try {
    return readFileSync(log, 'utf8').slice(-1500);
  } catch {
    return '';
  }
}
