import { type ConfiguredClient, createConfiguredClient } from '@agent-mux/adapters/client';
import { hostMark, isRecord, messageOf } from '@agent-mux/core';
import { JournalAhead } from '../journal/open-journal.ts';
import { carryOut, type SessionOrder } from './carry-out.ts';
import { readLaunch } from './check-launch.ts';
import { digestEnvironment } from './environment.ts';
import { type Held, holdSession } from './hold-session.ts';
import { KeeperError } from './keeper-error.ts';
import { type KeeperRecord, type Launch, PROTOCOL_VERSION } from './protocol.ts';
import { claimFolder, holdsFolder, ownStartTime, releaseFolder } from './record.ts';
import { restAfterWork } from './rest.ts';
import { type Behind, type Door, openDoor } from './serve.ts';
import { chooseSocket } from './socket-place.ts';

/** A turn that runs when the keeper is told to leave may go on for so long. */
const PARK_GRACE_MS = 5000;
/** How often a keeper checks that the folders of its sessions are still its own. */
const CLAIM_CHECK_MS = 2000;

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
    try {
      return await open(launch);
    } catch (error) {
      // The others may have ended meanwhile, and waited for this one.
      leaveIfDone();
      throw error;
    }
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
        trouble: (problem) => door?.trouble(launch, problem),
        // Before the daemon hears of the end: the next launch finds the folder free.
        finished: () => release(launch.folder),
      }).catch((error: unknown) => {
        release(launch.folder);
        throw explain(error);
      });
      sessions.set(launch.sessionId, held);
      void held.over.then(() => {
        door?.ended();
        leaveIfDone();
      });
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
    folders.delete(folder);
    try {
      releaseFolder(folder, record);
    } catch (error) {
      console.error(`${folder} cannot be released: ${messageOf(error)}`);
    }
  }

  function leaveIfDone(): void {
    if (openings === 0 && [...sessions.values()].every(({ hasEnded }) => hasEnded)) void depart();
  }

  /** The socket closes last: a daemon that asks meanwhile gets the answer that this keeper is leaving. */
  async function depart(): Promise<void> {
    if (isLeaving) return;
    isLeaving = true;
    for (const folder of [...folders]) release(folder);
    await client.close().catch((error: unknown) => console.error(`the agent does not close: ${messageOf(error)}`));
    await door?.close();
    for (const { journal } of sessions.values()) journal.close();
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

  /** A session whose folder was deleted has lost its journal, and no later daemon would find its keeper: it ends. */
  function endLost(): void {
    for (const { launch, handle, hasEnded } of sessions.values()) {
      if (hasEnded || !folders.has(launch.folder) || holdsFolder(launch.folder, record)) continue;
      folders.delete(launch.folder);
      console.error(`${launch.folder} was deleted; its session ends`);
      handle.abort('the folder of the session was deleted').catch(() => {});
      // What cannot be journaled must not keep the process.
      setTimeout(() => leaveWithout(launch.sessionId), PARK_GRACE_MS).unref();
    }
  }

  function leaveWithout(sessionId: string): void {
    const others = [...sessions.values()].filter(({ launch }) => launch.sessionId !== sessionId);
    if (openings === 0 && others.every(({ hasEnded }) => hasEnded)) over.resolve();
  }

  setInterval(endLost, CLAIM_CHECK_MS).unref();
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

function createClientFor({ hostEnv, options, trustProject, limits }: Launch): ConfiguredClient {
  const cwd = typeof options.cwd === 'string' ? { cwd: options.cwd } : {};
  // The daemon decides by rules, and writes down who did.
  return createConfiguredClient({
    env: hostEnv,
    trustProject,
    rules: 'none',
    handshakeTimeout: limits.handshakeMs,
    ...cwd,
  });
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
