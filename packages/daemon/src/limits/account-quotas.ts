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

/** Record kinds of the store: known quotas, and the last time a waiting message was sent. */
const KIND = 'quota';
const RELEASED = 'released';
/** Pause for an account that was refused without a reset time. */
const UNKNOWN_PAUSE_MS = 60_000;

const StoredQuota = z.object({
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
type Quota = z.infer<typeof StoredQuota>;

/** Limits of each account, as reported by its agents in any session or by the provider. */
export class AccountQuotas {
  readonly #store: Pick<Store, 'putRecord' | 'listRecords'>;
  readonly #known = new Map<string, Quota>();
  readonly #released = new Map<string, number>();

  constructor(store: Pick<Store, 'putRecord' | 'listRecords'>) {
    this.#store = store;
  }

  /** Loads what the previous daemon stored. */
  async open(): Promise<void> {
    for (const { key, value } of await this.#store.listRecords(KIND)) {
      const read = StoredQuota.safeParse(value);
      if (read.success) this.#known.set(key, read.data);
    }
    for (const { key, value } of await this.#store.listRecords(RELEASED))
      if (typeof value === 'number') this.#released.set(key, value);
  }

  /** Returns true if an event changed the quota. */
  async learn(account: string, events: readonly AgentEvent[], now: number): Promise<boolean> {
    const before = this.#known.get(account) ?? null;
    const after = events.reduce<QuotaStatus | null>(
      // A window that has reset must not explain a new refusal.
      (known, event) => quotaAfter(known && quotaAt(known, event.timestamp), event),
      before,
    );
    if (after === before || after === null) return false;
    await this.#save(account, { ...after, windows: [...after.windows], source: 'stream' }, now);
    return true;
  }

  /** Stores the answer of the provider. */
  async take(account: string, agent: string, windows: readonly RateLimitWindow[], now: number): Promise<void> {
    const status: AgentEvent = {
      type: 'rate_limit_status',
      limited: windows.some(({ exhausted }) => exhausted),
      windows: [...windows],
      ...{ agent, runId: '', turnIndex: 0, seq: 0, timestamp: now },
    };
    const quota = quotaAfter(null, status);
    if (quota) await this.#save(account, { ...quota, windows: [...quota.windows], source: 'endpoint' }, now);
  }

  /** When a message that had waited for an account was last sent. */
  get released(): ReadonlyMap<string, number> {
    return this.#released;
  }

  async release(account: string, now: number): Promise<void> {
    this.#released.set(account, now);
    await this.#store.putRecord(RELEASED, account, now, now);
  }

  /** When the quota was last reported; 0 if never. */
  lastReportedAt(account: string): number {
    return this.#known.get(account)?.asOf ?? 0;
  }

  /** Time until which nothing is sent to the account; null if it is not paused. */
  pausedUntil(account: string, now: number): number | null {
    const known = this.#known.get(account);
    const quota = known && quotaAt(known, now);
    if (!quota?.limited) return null;
    // A report from a clock that was ahead says nothing about its age.
    // An earlier version may have stored an implausible time.
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

  async #save(account: string, known: Quota, now: number): Promise<void> {
    this.#known.set(account, known);
    await this.#store.putRecord(KIND, account, known, now);
  }
}
