import { type ConfiguredClient, createConfiguredClient } from '@agent-mux/adapters/client';
import { getHostToken, isRecord, messageOf } from '@agent-mux/core';
import { JournalAheadError } from '../journal/open-journal.ts';
import { digestEnvironment } from './environment.ts';
import { executeCommand, type SessionCommand } from './execute-command.ts';
import { collectWhenIdle } from './idle-gc.ts';
import { KeeperError } from './keeper-error.ts';
import { type KeeperSession, openKeeperSession } from './keeper-session.ts';
import { parseLaunchSpec } from './parse-launch.ts';
import { type KeeperRecord, type LaunchSpec, PROTOCOL_VERSION } from './protocol.ts';
import { claimFolder, holdsFolder, processStartTime, releaseFolder } from './record.ts';
import { type KeeperBackend, type KeeperServer, startKeeperServer } from './serve.ts';
import { chooseSocketPath } from './socket-path.ts';

/** Time a running turn has to finish after the keeper received a signal to shut down. */
const PARK_GRACE_MS = 5000;
/** How often a keeper checks that it still holds the folders of its sessions. */
const CLAIM_CHECK_MS = 2000;

export interface Keeper {
  /** Resolves when all runs have ended and only journals are left. */
  over: Promise<void>;
  /** Parks all sessions; aborts them when called again. */
  leave(): void;
}

/** Resolves when the first session is open. Rejects if it is refused, and then leaves no files. */
export async function runKeeper(keeperFolder: string, first: LaunchSpec, version: string): Promise<Keeper> {
  const group = first.group ?? null;
  const environment = digestEnvironment(first);
  const client = createClientFor(first);
  const noteActivity = collectWhenIdle();
  const sessions = new Map<string, KeeperSession>();
  const folders = new Set<string>();
  const opening = Promise.withResolvers<KeeperSession>();
  const over = Promise.withResolvers<void>();
  let isLeaving = false;
  /** A signal has requested shutdown. */
  let isShutdownRequested = false;
  let openings = 0;
  let server: KeeperServer | undefined;

  const socket = chooseSocketPath(keeperFolder, { isShared: group !== null });
  const startTime = processStartTime();
  const record: KeeperRecord = {
    schema: 'agent-mux.keeper/1',
    protocol: PROTOCOL_VERSION,
    ...{ version, pid: process.pid, startTime, socket, group, mark: getHostToken() },
  };

  const backend: KeeperBackend = {
    sessions: () => sessions.values(),
    ready: opening.promise,
    welcome: () => ({
      ...{ protocol: PROTOCOL_VERSION, version, pid: process.pid },
      sessions: [...sessions.values()].map((held) => held.describe()),
    }),
    handle,
    acknowledge: (sessionId, seq) => sessions.get(sessionId)?.journal.acknowledge(seq),
  };

  async function handle(request: Record<string, unknown>) {
    if (request.type === 'open') {
      const launch = parseLaunchSpec(request.launch);
      const after = typeof request.after === 'number' ? request.after : launch.firstSeq - 1;
      const held = await openAnother(launch);
      return { value: held.describe(), added: { held, after } };
    }
    const held = sessions.get(String(request.sessionId));
    if (!held) throw new KeeperError('NOT_FOUND', `this keeper does not hold session ${String(request.sessionId)}`);
    if (!isSessionCommand(request))
      throw new KeeperError('BAD_REQUEST', `unknown request type "${String(request.type)}"`);
    return { value: await executeCommand(client, held, request) };
  }

  async function openAnother(launch: LaunchSpec): Promise<KeeperSession> {
    const known = sessions.get(launch.sessionId);
    // The daemon repeats the request because it missed the reply.
    if (known?.launch.launch === launch.launch) return known;
    if (known && !known.hasEnded) throw new KeeperError('KEEPER_EXISTS', `session ${launch.sessionId} is open here`);
    if (isLeaving || isShutdownRequested)
      throw new KeeperError('KEEPER_GONE', 'this keeper is shutting down', 'start another one');
    if (group === null || launch.group !== group)
      throw new KeeperError('GROUP_MISMATCH', 'this keeper cannot hold that session', 'start another one');
    if (digestEnvironment(launch) !== environment)
      throw new KeeperError('ENVIRONMENT_MISMATCH', 'this keeper has a different environment', 'start another one');
    try {
      return await open(launch);
    } catch (error) {
      // The other sessions may have ended while this one was opening.
      leaveIfDone();
      throw error;
    }
  }

  async function open(launch: LaunchSpec): Promise<KeeperSession> {
    openings += 1;
    try {
      claim(launch.folder);
      const held = await openKeeperSession(client, launch, {
        appended: (sessionId, from, lines) => {
          noteActivity();
          server?.appended(sessionId, from, lines);
        },
        storageError: (problem) => server?.storageError(launch, problem),
        // Released before the daemon learns of the end, so the next launch can claim the folder.
        finished: () => release(launch.folder),
      }).catch((error: unknown) => {
        release(launch.folder);
        throw toKeeperError(error);
      });
      sessions.set(launch.sessionId, held);
      void held.over.then(() => {
        server?.ended();
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

  /** Closes the socket last, so that a daemon still gets the reply that this keeper is shutting down. */
  async function depart(): Promise<void> {
    if (isLeaving) return;
    isLeaving = true;
    for (const folder of [...folders]) release(folder);
    await client.close().catch((error: unknown) => console.error(`the agent failed to close: ${messageOf(error)}`));
    await server?.close();
    for (const { journal } of sessions.values()) journal.close();
    over.resolve();
  }

  function leave(): void {
    const reason = 'the keeper was asked to shut down';
    for (const { handle } of sessions.values()) {
      if (isShutdownRequested) handle.abort(reason).catch(() => {});
      else {
        handle.end().catch(() => {});
        setTimeout(() => handle.abort(reason).catch(() => {}), PARK_GRACE_MS).unref();
      }
    }
    isShutdownRequested = true;
  }

  /** Ends sessions whose folder was deleted: their journal is lost and no later daemon would find their keeper. */
  function endLost(): void {
    for (const { launch, handle, hasEnded } of sessions.values()) {
      if (hasEnded || !folders.has(launch.folder) || holdsFolder(launch.folder, record)) continue;
      folders.delete(launch.folder);
      console.error(`${launch.folder} was deleted; ending its session`);
      handle.abort('the session folder was deleted').catch(() => {});
      // Events that cannot be journaled must not keep the process alive.
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
    server = await startKeeperServer(socket, backend);
    claim(keeperFolder);
    opening.resolve(await open(first));
  } catch (error) {
    opening.reject(error);
    await depart();
    throw error;
  }
  return { over: over.promise, leave };
}

function createClientFor({ hostEnv, options, trustProject, limits }: LaunchSpec): ConfiguredClient {
  const cwd = typeof options.cwd === 'string' ? { cwd: options.cwd } : {};
  // The daemon applies the rules and records who decided.
  return createConfiguredClient({
    env: hostEnv,
    trustProject,
    rules: 'none',
    handshakeTimeout: limits.handshakeMs,
    ...cwd,
  });
}

function toKeeperError(error: unknown): unknown {
  if (!(error instanceof JournalAheadError)) return error;
  return new KeeperError('JOURNAL_AHEAD', error.message, 'read the journal, then start the next launch');
}

const SESSION_COMMANDS: ReadonlySet<unknown> = new Set<SessionCommand['type']>([
  'send',
  'steer',
  'interrupt',
  'answer',
  'set',
  'end',
]);

/** Fields are validated where they are used. */
function isSessionCommand(request: Record<string, unknown>): request is Record<string, unknown> & SessionCommand {
  if (!SESSION_COMMANDS.has(request.type)) return false;
  return request.type !== 'answer' || (typeof request.requestId === 'string' && isRecord(request.answer));
}
