/** Memory of the daemon and its keepers. Linux only; no rows on other systems. */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DaemonClient, Session } from '@agent-mux/api';
import { median } from '../measure.ts';
import type { Row } from '../row.ts';
import { type BuiltDaemon, pssOf, rssOf, startBuiltDaemon, until } from './built-daemon.ts';

const DAEMONS = 3;
const TURNS = 5;
const PARKED = 50;
/** Sessions started at once. */
const AT_ONCE = 5;
/** What a start has left behind is collected by then, or not at all. */
const REST_MS = 2000;

export async function memoryRows(scratch: string): Promise<Row[]> {
  if (process.platform !== 'linux') return [];
  const idle: number[] = [];
  for (let at = 0; at < DAEMONS; at += 1) idle.push(await measureIdle(join(scratch, `idle-${at}`)));
  return [
    {
      name: 'daemon without sessions, RSS',
      value: median(idle),
      unit: 'MB',
      target: 80,
      detail: `${bareNode().toFixed(0)} MB a bare node`,
    },
    ...(await keptRows(join(scratch, 'kept'))),
  ];
}

function bareNode(): number {
  return Number(
    spawnSync(process.execPath, ['-p', 'process.memoryUsage().rss / 2 ** 20'], { encoding: 'utf8' }).stdout,
  );
}

async function measureIdle(home: string): Promise<number> {
  const daemon = await startBuiltDaemon(home);
  try {
    await daemon.client.sessions.list();
    await sleep(REST_MS);
    return rssOf(daemon.pid);
  } finally {
    await daemon.stop();
  }
}

async function keptRows(home: string): Promise<Row[]> {
  const daemon = await startBuiltDaemon(home);
  try {
    const cwd = join(home, 'work');
    mkdirSync(cwd);
    return [await keeperRow(daemon, cwd), await parkedRow(daemon, cwd)];
  } finally {
    await daemon.stop();
  }
}

/** Its agent runs at the same time and shares memory pages of the same program. */
async function keeperRow({ client }: BuiltDaemon, cwd: string): Promise<Row> {
  const { id } = await client.sessions.create({ agent: 'demo', cwd, prompt: 'hello' });
  let session = await untilTurns(client, id, 1);
  for (let turn = 2; turn <= TURNS; turn += 1) {
    await client.sessions.send(id, { text: 'long 200' });
    session = await untilTurns(client, id, turn);
  }
  await sleep(REST_MS);
  const pid = session.keeperPid ?? 0;
  const [value, rss] = [pssOf(pid), rssOf(pid)];
  await park(client, id);
  const detail = `${rss.toFixed(0)} MB RSS, after ${TURNS} turns, with its agent running`;
  return { name: 'a keeper, PSS', value, unit: 'MB', target: 35, detail };
}

/** Of a warm daemon: before that it grows by compiled code, with or without sessions. */
async function parkedRow({ client, pid }: BuiltDaemon, cwd: string): Promise<Row> {
  const start = rssOf(pid);
  await parkMany(client, cwd);
  const before = rssOf(pid);
  await parkMany(client, cwd);
  const after = rssOf(pid);
  const detail = `${start.toFixed(0)} MB RSS with one, ${before.toFixed(0)} MB with 50 more, ${after.toFixed(0)} MB with 100 more`;
  return { name: `${PARKED} more parked sessions, RSS`, value: after - before, unit: 'MB', target: 5, detail };
}

async function parkMany(client: DaemonClient, cwd: string): Promise<void> {
  for (let made = 0; made < PARKED; made += AT_ONCE)
    await Promise.all(Array.from({ length: AT_ONCE }, () => parkOne(client, cwd)));
  await sleep(REST_MS);
}

async function parkOne(client: DaemonClient, cwd: string): Promise<void> {
  const { id } = await client.sessions.create({ agent: 'demo', cwd, prompt: 'hello' });
  await untilTurns(client, id, 1);
  await park(client, id);
}

async function park(client: DaemonClient, id: string): Promise<void> {
  await client.sessions.park(id);
  await until(client, id, ({ parked }) => parked);
}

function untilTurns(client: DaemonClient, id: string, count: number): Promise<Session> {
  return until(client, id, ({ activity, turns }) => activity === 'idle' && turns === count);
}
