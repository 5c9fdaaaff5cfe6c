/** The built daemon in its own home, and its memory and CPU use. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDaemonClient, createHttp, type DaemonClient, type Session } from '@agent-mux/api';
import { isRecord } from '@agent-mux/core';
import { compileCache, DAEMON_FLAGS } from '../../../packages/daemon/src/node-options.ts';

const PACKAGE = join(import.meta.dirname, '../../../packages/daemon');
const POLL_MS = 2;
const LIMIT_MS = 30_000;
/** Of the clock that /proc counts in, on every Linux that node runs on. */
const MS_PER_TICK = 10;

export interface BuiltDaemon {
  client: DaemonClient;
  pid: number;
  /** From the spawn until it was ready. */
  readyMs: number;
  /** For commands that are to find it, and for what its sessions are started with. */
  env: Record<string, string>;
  /** Ends it; keepers go first. */
  stop(): Promise<void>;
}

/** The database of the daemon whose home this is. */
export function databaseIn(home: string): string {
  return join(home, 'state', 'agent-mux', 'daemon', 'store.sqlite');
}

function environmentIn(home: string, more: Readonly<Record<string, string>> = {}): Record<string, string> {
  const env = { HOME: home, PATH: process.env.PATH ?? '', XDG_STATE_HOME: join(home, 'state'), DEMO_SPEED: '0' };
  return { ...env, ...compileCache(env), AGENT_MUX_PORT: '0', ...more };
}

export async function startBuiltDaemon(
  home: string,
  more: Readonly<Record<string, string>> = {},
): Promise<BuiltDaemon> {
  const env = environmentIn(home, more);
  const root = join(home, 'state', 'agent-mux', 'daemon');
  mkdirSync(home, { recursive: true });
  const started = performance.now();
  const child = spawn(process.execPath, [...DAEMON_FLAGS, join(PACKAGE, 'dist/main.js')], {
    env,
    cwd: home,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const { url } = await findRecord(join(root, 'daemon.json'), child);
  const token = readFileSync(join(root, 'token'), 'utf8').trim();
  const http = createHttp(async () => ({ url, token }));
  const client = createDaemonClient(http);
  await client.ready();
  const readyMs = performance.now() - started;
  return {
    ...{ client, readyMs, env, pid: child.pid ?? 0 },
    async stop() {
      const { sessions } = await client.sessions.list({ terminated: false, limit: 500 });
      await Promise.all(sessions.filter(hasProcess).map(({ id }) => client.sessions.stop(id).catch(() => {})));
      for (const { id } of sessions.filter(hasProcess)) await until(client, id, (session) => !hasProcess(session));
      http.close();
      await endProcess(child);
    },
  };
}

export async function until(client: DaemonClient, id: string, isSo: (session: Session) => boolean): Promise<Session> {
  for (const limit = performance.now() + LIMIT_MS; ; await sleep(20)) {
    const session = await client.sessions.get(id);
    if (isSo(session)) return session;
    if (performance.now() > limit) throw new Error(`session ${id} stays ${JSON.stringify(session)}`);
  }
}

function hasProcess({ parked, isTerminated, launch }: Session): boolean {
  return launch > 0 && !parked && !isTerminated;
}

/** It is written when all is ready. */
async function findRecord(path: string, child: ChildProcess): Promise<{ url: string }> {
  for (const limit = performance.now() + LIMIT_MS; performance.now() < limit; await sleep(POLL_MS)) {
    if (child.exitCode !== null) throw new Error(`the daemon has ended with code ${child.exitCode}`);
    if (!existsSync(path)) continue;
    const record: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (isRecord(record) && record.pid === child.pid && typeof record.url === 'string') return { url: record.url };
  }
  throw new Error('the daemon is not ready in time');
}

async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const gone = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGTERM');
  await gone;
}

/** Resident memory in megabytes, shared pages included. Linux only. */
export function rssOf(pid: number): number {
  return kilobytesIn(`/proc/${pid}/status`, 'VmRSS') / 1024;
}

/** Megabytes: what is shared counts by its share. */
export function pssOf(pid: number): number {
  return kilobytesIn(`/proc/${pid}/smaps_rollup`, 'Pss') / 1024;
}

function kilobytesIn(path: string, field: string): number {
  const [, found] = new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(readFileSync(path, 'utf8')) ?? [];
  if (found === undefined) throw new Error(`${path} has no ${field}`);
  return Number(found);
}

/** Milliseconds of the processor so far. */
export function cpuOf(pid: number): number {
  const [, rest = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const [user = 0, system = 0] = rest.split(' ').slice(11, 13).map(Number);
  return (user + system) * MS_PER_TICK;
}
