import { setTimeout as sleep } from 'node:timers/promises';
import type { Message } from '../../schemas/message.ts';
import type { Session } from '../../schemas/session.ts';
import { persist } from '../backoff.ts';
import type { SessionCalls } from '../session-calls.ts';
import type { Ending } from './ending.ts';
import type { RunHost } from './parts.ts';

/** Maximum time to wait for an expected event. */
export const QUIET_MS = 1500;

/** Sends commands about the session of a run. Idempotent ones are retried until they arrive. */
export class CommandQueue {
  readonly #host: RunHost;
  readonly #ending: Ending;

  constructor(host: RunHost, ending: Ending) {
    this.#host = host;
    this.#ending = ending;
  }

  async give<Result>(order: (sessions: SessionCalls, id: string) => Promise<Result>): Promise<Result> {
    const { id } = await this.#ending.opened;
    const { client, patienceMs } = this.#host;
    return persist(() => order(client.sessions, id), { patienceMs, signal: this.#ending.over });
  }

  look(): Promise<Session> {
    return this.give((sessions, id) => sessions.get(id));
  }

  async findMessage(messageId: string): Promise<Message | undefined> {
    const messages = await this.give((sessions, id) => sessions.messages(id));
    return messages.find((each) => each.id === messageId);
  }

  /** False: the run is over. */
  async rest(ms: number = QUIET_MS): Promise<boolean> {
    await sleep(ms, undefined, { signal: this.#ending.over }).catch(() => {});
    return !this.#ending.isOver;
  }

  /** Polls the session if no events arrive and the daemon has none. */
  async lookUntilQuiet(lastSeq: () => number): Promise<Session | undefined> {
    const [seen, before] = [lastSeq(), await this.look()];
    if (!(await this.rest())) return undefined;
    const after = await this.look();
    const isQuiet = lastSeq() === seen && after.lastSeq === before.lastSeq && after.keeperPid === before.keeperPid;
    return isQuiet ? after : undefined;
  }
}
