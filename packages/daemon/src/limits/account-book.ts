import type { AccountQuota } from '@agent-mux/api/schemas';
import {
  type AgentEvent,
  believableTime,
  type QuotaStatus,
  quotaAfter,
  quotaAt,
  type RateLimitWindow,
} from '@agent-mux/core';
import { z } from 'zod';
import type { Store } from '../store/store.ts';

/** Of the store's records: what is known, and when something that had waited was sent last. */
const KIND = 'quota';
const RELEASED = 'released';
/** So long nothing is sent to an account that has refused without a word about when. */
const UNKNOWN_PAUSE_MS = 60_000;

const Kept = z.object({
  agent: z.string(),
  limited: z.boolean(),
  windows: z.array(
    z.object({
      window: z.string(),
      usedPercent: z.number().nullable(),
      resetsAt: z.number().nullable(),
      exhausted: z.boolean(),
    }),
  ),
  earliestResetAt: z.number().nullable(),
  asOf: z.number(),
  source: z.enum(['stream', 'endpoint']),
});
type Known = z.infer<typeof Kept>;

/** What is known of the limits of each account: what its agents have told in any session, or the vendor when it was asked. */
export class AccountBook {
  readonly #store: Pick<Store, 'putRecord' | 'listRecords'>;
  readonly #known = new Map<string, Known>();
  readonly #released = new Map<string, number>();

  constructor(store: Pick<Store, 'putRecord' | 'listRecords'>) {
    this.#store = store;
  }

  /** What a daemon before this one knew. */
  async open(): Promise<void> {
    for (const { key, value } of await this.#store.listRecords(KIND)) {
      const read = Kept.safeParse(value);
      if (read.success) this.#known.set(key, read.data);
    }
    for (const { key, value } of await this.#store.listRecords(RELEASED))
      if (typeof value === 'number') this.#released.set(key, value);
  }

  /** True: an event has told something new. */
  async learn(account: string, events: readonly AgentEvent[], now: number): Promise<boolean> {
    const before = this.#known.get(account) ?? null;
    const after = events.reduce<QuotaStatus | null>(
      // A window whose time has come does not stand for a refusal of now.
      (known, event) => quotaAfter(known && quotaAt(known, event.timestamp), event),
      before,
    );
    if (after === before || after === null) return false;
    await this.#keep(account, { ...after, windows: [...after.windows], source: 'stream' }, now);
    return true;
  }

  /** What the vendor answered. */
  async take(account: string, agent: string, windows: readonly RateLimitWindow[], now: number): Promise<void> {
    const told: AgentEvent = {
      type: 'rate_limit_status',
      limited: windows.some(({ exhausted }) => exhausted),
      windows: [...windows],
      ...{ agent, runId: '', turnIndex: 0, seq: 0, timestamp: now },
    };
    const quota = quotaAfter(null, told);
    if (quota) await this.#keep(account, { ...quota, windows: [...quota.windows], source: 'endpoint' }, now);
  }

  /** When something that had waited for an account was sent last. */
  get released(): ReadonlyMap<string, number> {
    return this.#released;
  }

  async release(account: string, now: number): Promise<void> {
    this.#released.set(account, now);
    await this.#store.putRecord(RELEASED, account, now, now);
  }

  /** When it was told last; 0: never. */
  lastTold(account: string): number {
    return this.#known.get(account)?.asOf ?? 0;
  }

  /** Until when nothing is sent to it; null: it is open. */
  pausedUntil(account: string, now: number): number | null {
    const known = this.#known.get(account);
    const quota = known && quotaAt(known, now);
    if (!quota?.limited) return null;
    // What a clock has told that was ahead of this one says nothing about how long ago that was.
    // An earlier version may have stored a time that no limit has.
    const until =
      believableTime(quota.earliestResetAt, now) ?? (quota.asOf > now ? now : quota.asOf + UNKNOWN_PAUSE_MS);
    return until > now ? Math.ceil(until) : null;
  }

  list(now: number): AccountQuota[] {
    return [...this.#known].map(([account, known]) => {
      const { source } = known;
      const { agent, limited, windows, earliestResetAt, asOf } = quotaAt(known, now);
      const pausedUntil = this.pausedUntil(account, now);
      return { account, agent, limited, windows: [...windows], earliestResetAt, asOf, source, pausedUntil };
    });
  }

  async #keep(account: string, known: Known, now: number): Promise<void> {
    this.#known.set(account, known);
    await this.#store.putRecord(KIND, account, known, now);
  }
}
