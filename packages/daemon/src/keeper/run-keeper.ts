import { type ConfiguredClient, createConfiguredClient } from '@agent-mux/adapters/client';
import { hostMark, isRecord } from '@agent-mux/core';
import { JournalAhead } from '../journal/open-journal.ts';
import { carryOut, type SessionOrder } from './carry-out.ts';
import { readLaunch } from './check-launch.ts';
import { digestEnvironment } from './environment.ts';
import { type Held, holdSession } from './hold-session.ts';
import { KeeperError } from './keeper-error.ts';
import { type KeeperRecord, type Launch, PROTOCOL_VERSION } from './protocol.ts';
import { claimFolder, ownStartTime, releaseFolder } from './record.ts';
import { restAfterWork } from './rest.ts';
import { type Behind, type Door, openDoor } from './serve.ts';
import { chooseSocket } from './socket-place.ts';

/** A turn that runs when the keeper is told to leave may go on for so long. */
const PARK_GRACE_MS = 5000;

export interface Keeper {
  /** Resolves when all its runs have ended and nothing of it is left but journals. */
  over: Promise<void>;
  /** Parks all sessions, in order. The second time: at once. */
  leave(): void;
}

/** Resolves when the first session is open; rejects with why it was refused, and leaves nothing then. */
export async function runKeeper(keeperFolder: string, first: Launch, version: string): Promise<Keeper> {
  const group = first.group ?? null;
  const environment = digestEnvironment(first);
  const client = createClientFor(first);
  const work = restAfterWork();
  const sessions = new Map<string, Held>();
  const folders = new Set<string>();
  const opening = Promise.withResolvers<Held>();
  const over = Promise.withResolvers<void>();
  let isLeaving = false;
  /** To leave, by a signal. */
  let isTold = false;
  let openings = 0;
  let door: Door | undefined;

  const socket = chooseSocket(keeperFolder, { isShared: group !== null });
  const startTime = ownStartTime();
  const record: KeeperRecord = {
    schema: 'agent-mux.keeper/1',
    protocol: PROTOCOL_VERSION,
    ...{ version, pid: process.pid, startTime, socket, group, mark: hostMark() },
  };

  const behind: Behind = {
    sessions: () => sessions.values(),
    ready: opening.promise,
    welcome: () => ({
      ...{ protocol: PROTOCOL_VERSION, version, pid: process.pid },
      sessions: [...sessions.values()].map((held) => held.describe()),
    }),
    obey,
    acknowledge: (sessionId, seq) => sessions.get(sessionId)?.journal.acknowledge(seq),
  };

  async function obey(order: Record<string, unknown>) {
    if (order.type === 'open') {
      const launch = readLaunch(order.launch);
      const after = typeof order.after === 'number' ? order.after : launch.firstSeq - 1;
      const held = await openAnother(launch);
      return { value: held.describe(), added: { held, after } };
    }
    const held = sessions.get(String(order.sessionId));
    if (!held) throw new KeeperError('NOT_FOUND', `this keeper does not hold session ${String(order.sessionId)}`);
    if (!isSessionOrder(order)) throw new KeeperError('BAD_REQUEST', `there is no order "${String(order.type)}"`);
    return { value: await carryOut(client, held, order) };
  }

  async function openAnother(launch: Launch): Promise<Held> {
    const known = sessions.get(launch.sessionId);
    // Asked again by a daemon that did not hear the answer.
    if (known?.launch.launch === launch.launch) return known;
    if (known && !known.hasEnded) throw new KeeperError('KEEPER_THERE', `session ${launch.sessionId} is open here`);
    if (isLeaving || isTold) throw new KeeperError('KEEPER_GONE', 'this keeper is leaving', 'start another one');
    if (group === null || launch.group !== group)
      throw new KeeperError('OTHER_GROUP', 'this keeper cannot hold that session', 'start another one');
    if (digestEnvironment(launch) !== environment)
      throw new KeeperError('OTHER_ENVIRONMENT', 'this keeper has another environment', 'start another one');
    return open(launch);
  }

  async function open(launch: Launch): Promise<Held> {
    openings += 1;
    try {
      claim(launch.folder);
      const held = await holdSession(client, launch, {
        appended: (sessionId, from, lines) => {
          work();
          door?.appended(sessionId, from, lines);
        },
        trouble: (sessionId, problem) => door?.trouble(sessionId, problem),
      }).catch((error: unknown) => {
        if (launch.folder !== keeperFolder) release(launch.folder);
        throw explain(error);
      });
      sessions.set(launch.sessionId, held);
      void held.over.then(() => end(held));
      return held;
    } finally {
      openings -= 1;
    }
  }

  function claim(folder: string): void {
    if (folders.has(folder)) return;
    claimFolder(folder, record);
    folders.add(folder);
  }

  function release(folder: string): void {
    releaseFolder(folder, record);
    folders.delete(folder);
  }

  function end(held: Held): void {
    door?.ended();
    const isLast = openings === 0 && [...sessions.values()].every(({ hasEnded }) => hasEnded);
    if (isLast) void depart();
    else if (sessions.get(held.launch.sessionId) === held) release(held.launch.folder);
  }

  async function depart(): Promise<void> {
    if (isLeaving) return;
    isLeaving = true;
    await door?.close();
    await client.close();
    for (const { journal } of sessions.values()) journal.close();
    for (const folder of [...folders]) release(folder);
    over.resolve();
  }

  function leave(): void {
    const reason = 'the keeper was told to leave';
    for (const { handle } of sessions.values()) {
      if (isTold) handle.abort(reason).catch(() => {});
      else {
        handle.end().catch(() => {});
        setTimeout(() => handle.abort(reason).catch(() => {}), PARK_GRACE_MS).unref();
      }
    }
    isTold = true;
  }

  opening.promise.catch(() => {});
  try {
    door = await openDoor(socket, behind);
    claim(keeperFolder);
    opening.resolve(await open(first));
  } catch (error) {
    opening.reject(error);
    await depart();
    throw error;
  }
  return { over: over.promise, leave };
}

function createClientFor({ hostEnv, options, trustProject }: Launch): ConfiguredClient {
  const cwd = typeof options.cwd === 'string' ? { cwd: options.cwd } : {};
  // The daemon decides by rules, and writes down who did.
  return createConfiguredClient({ env: hostEnv, trustProject, rules: 'none', ...cwd });
}

function explain(error: unknown): unknown {
  if (!(error instanceof JournalAhead)) return error;
  return new KeeperError('JOURNAL_AHEAD', error.message, 'read the journal, then start the next launch');
}

const SESSION_ORDERS: ReadonlySet<unknown> = new Set<SessionOrder['type']>([
  'send',
  'steer',
  'interrupt',
  'answer',
  'set',
  'end',
]);

/** Their fields are looked at where they are used. */
function isSessionOrder(order: Record<string, unknown>): order is Record<string, unknown> & SessionOrder {
  if (!SESSION_ORDERS.has(order.type)) return false;
  return order.type !== 'answer' || (typeof order.requestId === 'string' && isRecord(order.answer));
}
