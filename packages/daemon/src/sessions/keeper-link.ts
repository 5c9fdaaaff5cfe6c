import { AgentMuxError, messageOf } from '@agent-mux/core';
import { DaemonError, refusalOf } from '../daemon-error.ts';
import type { KeeperConnection, KeeperListener, Ordered } from '../keeper/connect-keeper.ts';
import { KeeperError } from '../keeper/keeper-error.ts';
import type { KeeperRecord, Welcome } from '../keeper/protocol.ts';

/** What is done with all that a keeper says; one after the other, each when the one before is done. */
export interface KeeperHandlers {
  events(sessionId: string, lines: readonly string[]): Promise<void>;
  ended(sessionId: string): Promise<void>;
  trouble(sessionId: string, problem: string | null): void;
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
  order(order: Ordered): Promise<unknown>;
  acknowledge(sessionId: string, seq: number): void;
  /** It goes on without this daemon. */
  close(): void;
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
  function lose(): void {
    connection?.close();
    add(() => handlers.gone(link));
  }

  connection = await open({
    events: (sessionId, _, lines) => add(() => handlers.events(sessionId, lines)),
    ended: (sessionId) => add(() => handlers.ended(sessionId)),
    trouble: (sessionId, problem) => add(() => handlers.trouble(sessionId, problem)),
    gone: () => add(() => handlers.gone(link)),
  });
  const { record, welcome } = connection;
  const link: KeeperLink = {
    key: keyOf(record),
    record,
    welcome,
    order: async (order) => {
      try {
        return await connection.order(order);
      } catch (error) {
        // Perhaps it has opened the session after that: only another connection would tell of it.
        if (order.type === 'open' && isTimeout(error)) lose();
        throw asRefusal(error);
      }
    },
    acknowledge: (sessionId, seq) => connection.acknowledge(sessionId, seq),
    close: () => {
      isOver = true;
      connection.close();
    },
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

function isTimeout(error: unknown): boolean {
  return error instanceof KeeperError && error.code === 'TIMEOUT';
}

/** Whatever was thrown on the way to an agent, as a refusal of ours. */
export function asRefusal(error: unknown): DaemonError {
  if (error instanceof DaemonError) return error;
  if (!(error instanceof KeeperError) && !(error instanceof AgentMuxError))
    return new DaemonError('INTERNAL_ERROR', messageOf(error));
  const { code, message, hint } = error;
  const known = isTimeout(error) ? 'KEEPER_GONE' : code;
  return refusalOf({ code: known, message, ...(hint === undefined ? {} : { hint }) });
}
