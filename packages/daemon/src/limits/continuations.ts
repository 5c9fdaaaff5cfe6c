import type { Session, SessionLimit } from '@agent-mux/api';
import { z } from 'zod';
import type { Who } from '../service.ts';
import type { Store } from '../store/store.ts';
import type { Continued } from './plan-continuations.ts';

/** Of the store's records. */
const KIND = 'continuation';
/** Longer than anything counts. */
const KEEP_MS = 8 * 24 * 3_600_000;
/** What was decided and could not be sent by then (there may be no room for it) holds up nobody else any more. */
const UNSENT_MS = 30_000;
/** Who sends what goes on by itself. */
const GOVERNOR: Who = 'the limit governor';

const Kept = z.object({
  id: z.string(),
  limitId: z.string(),
  account: z.string(),
  at: z.number(),
  byPerson: z.boolean(),
});
const ID = /^continue-.+-(\d{1,6})$/;

/** The message that goes on after a limit: always the same for that limit, so that it is sent once, whoever dies when. */
export function continuationId({ id, messageId }: Pick<SessionLimit, 'id' | 'messageId'>): string {
  return `continue-${id}-${attemptOf({ messageId })}`;
}

/** 1: the turn that was stopped was not itself one that went on after a limit. */
export function attemptOf({ messageId }: Pick<SessionLimit, 'messageId'>): number {
  return Number(ID.exec(messageId ?? '')?.[1] ?? 0) + 1;
}

export function isContinuation(messageId: string): boolean {
  return ID.test(messageId);
}

/** What was decided, before anything is sent: rows that outlive the daemon. */
export class Continuations {
  readonly #store: Store;
  readonly #made = new Map<string, Continued>();
  /** Decided and not sent yet, by session; since when this daemon knows. */
  readonly #unsent = new Map<string, { limitId: string; since: number }>();

  constructor(store: Store) {
    this.#store = store;
  }

  get all(): Continued[] {
    return [...this.#made.values()];
  }

  /** For others of the same account: the pause begins when something is sent, and a daemon that died may have decided long before that. */
  asOf(now: number): Continued[] {
    return this.all.map((one) => {
      const unsent = this.#unsent.get(one.id);
      if (unsent?.limitId !== one.limitId) return one;
      return { ...one, at: Math.max(one.at, Math.min(now, unsent.since + UNSENT_MS)) };
    });
  }

  /** Of a daemon before this one. */
  async findUnsent(sessionId: string, limit: SessionLimit, now: number): Promise<void> {
    if (limit.state !== 'continued') return;
    const message = await this.#store.getMessage(sessionId, continuationId(limit));
    if (message?.state === 'queued') this.#unsent.set(sessionId, { limitId: limit.id, since: now });
  }

  /** It was sent, or never will be. */
  noteSent(sessionId: string): void {
    this.#unsent.delete(sessionId);
  }

  async open(now: number): Promise<void> {
    for (const { key, value, updatedAt } of await this.#store.listRecords(KIND)) {
      const read = Kept.safeParse(value);
      if (!read.success || now - updatedAt > KEEP_MS) await this.#store.deleteRecord(KIND, key);
      else this.#made.set(key, read.data);
    }
  }

  /** Decides, and queues the message. Done twice it is done once. */
  async make(
    session: Session,
    limit: SessionLimit,
    { now, who, message }: { now: number; who: Who | null; message: string },
  ): Promise<void> {
    const key = `${session.id}/${limit.id}`;
    const made = this.#made.get(key) ?? {
      ...{ id: session.id, limitId: limit.id, account: session.account ?? session.agent },
      ...{ at: now, byPerson: who !== null },
    };
    await this.#store.putRecord(KIND, key, made, now);
    this.#made.set(key, made);
    this.#unsent.set(session.id, { limitId: limit.id, since: now });
    const { text, files } = await this.#wordsOf(session.id, limit, message);
    await this.#store.insertMessage({
      ...{ id: continuationId(limit), sessionId: session.id, text, files: [...files], mode: 'queue', state: 'queued' },
      ...{ error: null, by: who ?? GOVERNOR, createdAt: now, acceptedAt: null, endedAt: null },
    });
    const reason = who === null ? 'the limit is lifted' : `${who} said so`;
    await this.#store.updateWithLimit(session.id, limit.id, {
      limit: { ...limit, state: 'continued', reason, continuesAt: null },
    });
    await this.#store.appendAudit({
      ...{ time: now, who: who ?? GOVERNOR, action: 'limit.continue', sessionId: session.id },
      detail: { limit: limit.id, message: continuationId(limit) },
    });
  }

  /** A turn that had shown nothing was not begun: it is asked for again. One that had is to go on. */
  async #wordsOf(
    sessionId: string,
    { showed, messageId }: SessionLimit,
    message: string,
  ): Promise<{ text: string; files: readonly string[] }> {
    const refused = showed || messageId === null ? null : await this.#store.getMessage(sessionId, messageId);
    return refused ?? { text: message, files: [] };
  }
}
