import { AgentMuxError, isRecord, messageOf, parseIfJson } from '@agent-mux/core';
import { DaemonError, storageErrorOf, toDaemonError } from '../daemon-error.ts';
import type { KeeperConnection, KeeperListener, KeeperRequestBody } from '../keeper/connect-keeper.ts';
import { KeeperError } from '../keeper/keeper-error.ts';
import type { HelloReply, KeeperRecord } from '../keeper/protocol.ts';
import { launchOfRunId } from './ids.ts';

/** Identifies a launch. Reports about any launch other than the current one are ignored. */
export interface LaunchRef {
  sessionId: string;
  launch: number;
}

/** Handles what a keeper reports, one message at a time. */
export interface KeeperHandlers {
  events(of: LaunchRef, lines: readonly string[]): Promise<void>;
  /** The journal is complete and read, and the folder is free. */
  ended(of: LaunchRef): Promise<void>;
  storageError(of: LaunchRef, problem: string | null): void;
  gone(link: KeeperLink): void;
  /** A report could not be handled: the sessions must be adopted again from the last stored event. */
  failed(link: KeeperLink, error: unknown): void;
}

/** The daemon's view of a keeper. Rejects with DaemonErrors. */
export interface KeeperLink {
  /** Identifies the process. */
  readonly key: string;
  readonly record: KeeperRecord;
  readonly welcome: HelloReply;
  request(body: KeeperRequestBody, timeoutMs?: number): Promise<unknown>;
  acknowledge(sessionId: string, seq: number): void;
  /** The keeper continues without this daemon. */
  close(): void;
  /**
   * Closes the connection as if it were lost. Resolves when everything received before, and then `gone`, has been
   * handled.
   */
  lose(): Promise<void>;
  /** With SIGKILL, for a keeper that does not respond. */
  kill(): void;
}

export function keyOf({ pid, startTime }: Pick<KeeperRecord, 'pid' | 'startTime'>): string {
  return `${pid}/${startTime}`;
}

/**
 * Opens a connection whose messages are not handled before `start` is called, so that the sessions are known first.
 * While a message is handled, the keeper is not read from; it has everything on disk, and nothing accumulates here.
 */
export async function openLink(
  open: (listener: KeeperListener) => Promise<KeeperConnection>,
  handlers: KeeperHandlers,
): Promise<{ link: KeeperLink; start(): void }> {
  const waiting: (() => Promise<void> | void)[] = [];
  let connection: KeeperConnection | undefined;
  let isStarted = false;
  let isHandling = false;
  let isOver = false;

  const add = (work: () => Promise<void> | void) => {
    if (isOver) return;
    waiting.push(work);
    if (isStarted) void handleAll();
    else connection?.pause();
  };

  async function handleAll(): Promise<void> {
    if (isHandling) return;
    isHandling = true;
    connection?.pause();
    try {
      for (let next = waiting.shift(); next && !isOver; next = waiting.shift()) await next();
    } catch (error) {
      isOver = true;
      connection?.close();
      handlers.failed(link, error);
    } finally {
      isHandling = false;
      if (!isOver) connection?.resume();
    }
  }

  /** All its sessions are adopted again, after what was already received. */
  function lose(): Promise<void> {
    connection?.close();
    return new Promise((resolve) => {
      if (isOver) resolve();
      add(() => {
        handlers.gone(link);
        isOver = true;
        resolve();
      });
    });
  }

  connection = await open({
    events: (message) => add(() => handlers.events(launchOf(message, message.lines.at(-1)), message.lines)),
    ended: (message) => add(() => handlers.ended(launchOf(message))),
    storageError: (message) => add(() => handlers.storageError(launchOf(message), message.problem)),
    gone: () => add(() => handlers.gone(link)),
  });
  const { record, welcome } = connection;
  const launches = new Map(welcome.sessions.map(({ sessionId, launch }) => [sessionId, launch]));

  /** Keepers before version 3 do not report the launch: it is that of the last event, or of the welcome message. */
  function launchOf(message: { sessionId: string; launch?: number }, line?: string): LaunchRef {
    const { sessionId } = message;
    const launch = message.launch ?? launchIn(sessionId, line) ?? launches.get(sessionId) ?? 0;
    launches.set(sessionId, launch);
    return { sessionId, launch };
  }

  const link: KeeperLink = {
    key: keyOf(record),
    record,
    welcome,
    request: async (body, timeoutMs) => {
      try {
        return await connection.order(body, timeoutMs);
      } catch (error) {
        // The keeper may have opened the session after the timeout; only a new connection would report it.
        if (body.type === 'open' && isTimeout(error)) void lose();
        throw asRefusal(error);
      }
    },
    acknowledge: (sessionId, seq) => connection.acknowledge(sessionId, seq),
    close: () => {
      isOver = true;
      connection.close();
    },
    lose,
    kill: () => {
      try {
        process.kill(record.pid, 'SIGKILL');
      } catch {
        // It has exited already.
      }
    },
  };
  return {
    link,
    start() {
      isStarted = true;
      void handleAll();
    },
  };
}

function launchIn(sessionId: string, line: string | undefined): number | undefined {
  const event = line === undefined ? undefined : parseIfJson(line);
  const runId = isRecord(event) ? event.runId : undefined;
  return typeof runId === 'string' ? launchOfRunId(sessionId, runId) : undefined;
}

function isTimeout(error: unknown): boolean {
  return error instanceof KeeperError && error.code === 'TIMEOUT';
}

/** Converts any error of a keeper or adapter to a DaemonError. */
export function asRefusal(error: unknown): DaemonError {
  if (error instanceof DaemonError) return error;
  if (!(error instanceof KeeperError) && !(error instanceof AgentMuxError))
    return storageErrorOf(error) ?? new DaemonError('INTERNAL_ERROR', messageOf(error));
  const { code, message, hint } = error;
  if (isTimeout(error))
    return new DaemonError('KEEPER_UNREACHABLE', message, {
      hint: 'try again, or run "amux stop ID" to end the keeper',
    });
  return toDaemonError({ code, message, ...(hint === undefined ? {} : { hint }) });
}

/** Whether the keeper, and with it the agent's process, ended before it could handle a request. */
export function isKeeperGone(error: unknown): boolean {
  return error instanceof DaemonError && error.code === 'KEEPER_GONE';
}
