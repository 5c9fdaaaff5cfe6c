import type { Session, SessionLimit } from '@agent-mux/api';
import { z } from 'zod';
import type { Actor } from '../service.ts';
import type { Store } from '../store/store.ts';
import type { Continued } from './plan-continuations.ts';

/** Record kind of the store. */
const KIND = 'continuation';
/** Retention of records; longer than any rule looks back. */
const KEEP_MS = 8 * 24 * 3_600_000;
/** A continuation that could not be sent within this time (e.g. too many running sessions) no longer delays others. */
const UNSENT_MS = 30_000;
/** Actor of automatic continuations. */
const GOVERNOR: Actor = 'the limit governor';

const ContinuedSchema = z.object({
  id: z.string(),
  limitId: z.string(),
  account: z.string(),
  at: z.number(),
  byPerson: z.boolean(),
});
const ID = /^continue-.+-(\d{1,6})$/;

/**
 * Id of the message that continues after a limit. It is the same for the same limit, so that it is sent once even after
 * a crash.
 */
export function continuationId({ id, messageId }: Pick<SessionLimit, 'id' | 'messageId'>): string {
  return `continue-${id}-${attemptOf({ messageId })}`;
}

/** 1 if the stopped turn was not itself a continuation. */
export function attemptOf({ messageId }: Pick<SessionLimit, 'messageId'>): number {
  return Number(ID.exec(messageId ?? '')?.[1] ?? 0) + 1;
}

export function isContinuation(messageId: string): boolean {
  return ID.test(messageId);
}

/** Continuations, stored before anything is sent, so that they survive the daemon. */
export class Continuations {
  readonly #store: Store;
  readonly #continued = new Map<string, Continued>();
  /** Decided but not sent, by session, with the time since when this daemon knows. */
  readonly #unsent = new Map<string, { limitId: string; since: number }>();

  constructor(store: Store) {
    this.#store = store;
  }

  get all(): Continued[] {
    return [...this.#continued.values()];
  }

  /**
   * For other sessions of the account: the pause starts when the message is sent, which may be long after a previous
   * daemon decided.
   */
  asOf(now: number): Continued[] {
    return this.all.map((one) => {
      const unsent = this.#unsent.get(one.id);
      if (unsent?.limitId !== one.limitId) return one;
      return { ...one, at: Math.max(one.at, Math.min(now, unsent.since + UNSENT_MS)) };
    });
  }

  /** Finds an unsent continuation of the previous daemon. */
  async findUnsent(sessionId: string, limit: SessionLimit, now: number): Promise<void> {
    if (limit.state !== 'continued') return;
    const message = await this.#store.getMessage(sessionId, continuationId(limit));
    if (message?.state === 'queued') this.#unsent.set(sessionId, { limitId: limit.id, since: now });
  }

  /** The message was sent, or never will be. */
  noteSent(sessionId: string): void {
    this.#unsent.delete(sessionId);
  }

  async open(now: number): Promise<void> {
    for (const { key, value, updatedAt } of await this.#store.listRecords(KIND)) {
      const read = ContinuedSchema.safeParse(value);
      if (!read.success || now - updatedAt > KEEP_MS) await this.#store.deleteRecord(KIND, key);
      else this.#continued.set(key, read.data);
    }
  }

  /** Stores the decision and queues the message. Idempotent. */
  async create(
    session: Session,
    limit: SessionLimit,
    { now, actor, message }: { now: number; actor: Actor | null; message: string },
  ): Promise<void> {
    const key = `${session.id}/${limit.id}`;
    const continued = this.#continued.get(key) ?? {
      ...{ id: session.id, limitId: limit.id, account: session.account ?? session.agent },
      ...{ at: now, byPerson: actor !== null },
    };
    await this.#store.putRecord(KIND, key, continued, now);
    this.#continued.set(key, continued);
    this.#unsent.set(session.id, { limitId: limit.id, since: now });
    const { text, files } = await this.#messageFor(session.id, limit, message);
    await this.#store.insertMessage({
      ...{ id: continuationId(limit), sessionId: session.id, text, files: [...files], mode: 'queue', state: 'queued' },
      ...{ error: null, by: actor ?? GOVERNOR, createdAt: now, acceptedAt: null, endedAt: null },
    });
    const reason = actor === null ? 'the limit has reset' : `requested by ${actor}`;
    await this.#store.updateWithLimit(session.id, limit.id, {
      limit: { ...limit, state: 'continued', reason, continuesAt: null },
    });
    await this.#store.appendAudit({
      ...{ timestamp: now, actor: actor ?? GOVERNOR, action: 'limit.continue', sessionId: session.id },
      detail: { limit: limit.id, message: continuationId(limit) },
    });
  }

  /** Repeats the refused message if its turn produced no output; otherwise sends the continuation message. */
  async #messageFor(
    sessionId: string,
    { hadOutput, messageId }: SessionLimit,
    message: string,
  ): Promise<{ text: string; files: readonly string[] }> {
    const refused = hadOutput || messageId === null ? null : await this.#store.getMessage(sessionId, messageId);
    return refused ?? { text: message, files: [] };
  }
}
