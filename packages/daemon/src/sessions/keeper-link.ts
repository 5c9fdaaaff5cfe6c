import { AgentMuxError, isRecord, messageOf, parseIfJson } from '@agent-mux/core';
import { DaemonError, refusalOf, storageErrorOf } from '../daemon-error.ts';
import type { KeeperConnection, KeeperListener, Ordered } from '../keeper/connect-keeper.ts';
import { KeeperError } from '../keeper/keeper-error.ts';
import type { KeeperRecord, Welcome } from '../keeper/protocol.ts';
import { launchOfRunId } from './ids.ts';

/** Which launch of which session a fact is about. A fact of any other launch than the current one changes nothing. */
export interface LaunchRef {
  sessionId: string;
  launch: number;
}

/** What is done with all that a keeper says; one after the other, each when the one before is done. */
export interface KeeperHandlers {
  events(of: LaunchRef, lines: readonly string[]): Promise<void>;
  /** Its journal is complete and read, and its folder is free. */
  ended(of: LaunchRef): Promise<void>;
  trouble(of: LaunchRef, problem: string | null): void;
  gone(link: KeeperLink): void;
  /** What it said cannot be taken: it has to be asked again from what the store has. */
  failed(link: KeeperLink, error: unknown): void;
}

/** A keeper as the daemon sees it. Refusals are DaemonErrors. */
export interface KeeperLink {
  /** The process: no other one has it. */
  readonly key: string;
  readonly record: KeeperRecord;
  readonly welcome: Welcome;
  order(order: Ordered, limitMs?: number): Promise<unknown>;
  acknowledge(sessionId: string, seq: number): void;
  /** It goes on without this daemon. */
  close(): void;
  /** Ends the connection as if it were lost. Resolves when all that was received before, and then `gone`, has been handled. */
  lose(): Promise<void>;
  /** With -9: it does not hear. */
  kill(): void;
}

export function keyOf({ pid, startTime }: Pick<KeeperRecord, 'pid' | 'startTime'>): string {
  return `${pid}/${startTime}`;
}

/**
 * Opens a connection whose words are not acted upon before `begin` is called: what they are about must be known first. While
 * one is worked on the keeper is not read from; it has everything on disk, and nothing piles up here.
 */
export async function openLink(
  open: (listener: KeeperListener) => Promise<KeeperConnection>,
  handlers: KeeperHandlers,
): Promise<{ link: KeeperLink; begin(): void }> {
  const waiting: (() => Promise<void> | void)[] = [];
  let connection: KeeperConnection | undefined;
  let isBegun = false;
  let isWorking = false;
  let isOver = false;

  const add = (work: () => Promise<void> | void) => {
    if (isOver) return;
    waiting.push(work);
    if (isBegun) void workOff();
    else connection?.pause();
  };

  async function workOff(): Promise<void> {
    if (isWorking) return;
    isWorking = true;
    connection?.pause();
    try {
      for (let next = waiting.shift(); next && !isOver; next = waiting.shift()) await next();
    } catch (error) {
      isOver = true;
      connection?.close();
      handlers.failed(link, error);
    } finally {
      isWorking = false;
      if (!isOver) connection?.resume();
    }
  }

  /** All that it holds is taken up again, after what it has told. */
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
    trouble: (message) => add(() => handlers.trouble(launchOf(message), message.problem)),
    gone: () => add(() => handlers.gone(link)),
  });
  const { record, welcome } = connection;
  const launches = new Map(welcome.sessions.map(({ sessionId, launch }) => [sessionId, launch]));

  /** Keepers before version 3 do not say it: the launch is that of the last event, or of the welcome. */
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
    order: async (order, limitMs) => {
      try {
        return await connection.order(order, limitMs);
      } catch (error) {
        // Perhaps it has opened the session after that: only another connection would tell of it.
        if (order.type === 'open' && isTimeout(error)) void lose();
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
        // It has gone by itself.
      }
    },
  };
  return {
    link,
    begin() {
      isBegun = true;
      void workOff();
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

/** Whatever was thrown on the way to an agent, as a refusal of ours. */
export function asRefusal(error: unknown): DaemonError {
  if (error instanceof DaemonError) return error;
  if (!(error instanceof KeeperError) && !(error instanceof AgentMuxError))
    return storageErrorOf(error) ?? new DaemonError('INTERNAL_ERROR', messageOf(error));
  const { code, message, hint } = error;
  if (isTimeout(error))
    return new DaemonError('KEEPER_UNREACHABLE', message, { hint: 'try again; amux stop ends that process' });
  return refusalOf({ code, message, ...(hint === undefined ? {} : { hint }) });
}

/** Whether the keeper, and with it the agent's process, ended before it could carry out an order. */
export function isKeeperGone(error: unknown): boolean {
  return error instanceof DaemonError && error.code === 'KEEPER_GONE';
}
