import { join } from 'node:path';
import type { QuotaStatus } from '../contract/quota.ts';
import type { RunResult } from '../contract/run.ts';
import { OWN_FILE_LIMIT, readRegularFile } from '../files/regular-file.ts';
import { stateFolder } from '../files/state-folder.ts';
import { writePrivateFile } from '../files/write-private-file.ts';
import { lazyModules } from '../lazy-modules.ts';
import { QUOTA_SCHEMA, quotaAfterSuccess, quotaAt } from './quota.ts';

/** Tolerance for clock skew: a timestamp from the future would stay the newest forever. */
const CLOCK_SLACK_MS = 60_000;

/** The limits each agent last reported, stored between processes: one file per agent, to avoid lost updates. */
export class QuotaStore {
  readonly #folder: string | undefined;
  readonly #known = new Map<string, QuotaStatus>();

  /** `keep: false`: in memory only. */
  constructor(env: NodeJS.ProcessEnv, { keep = true } = {}) {
    const named = keep && (env.XDG_STATE_HOME || env.HOME || env.USERPROFILE);
    this.#folder = named ? join(stateFolder(env), 'quota') : undefined;
  }

  /** The newest of the stored and the reported state, as of now. Null: unknown. */
  async read(
    agent: string,
    reported: readonly QuotaStatus[] = [],
    now: number = Date.now(),
  ): Promise<QuotaStatus | null> {
    const all = [...reported, this.#known.get(agent), await this.#stored(agent)].filter((quota) => quota !== undefined);
    const newest = all.reduce<QuotaStatus | null>((a, b) => (a === null || b.asOf > a.asOf ? b : a), null);
    return newest && quotaAt(newest, now);
  }

  /** Stores what a run reported; a successful run without a report shows that earlier rejections no longer apply. */
  async learn({ agent, quota, exitReason }: RunResult, now: number = Date.now()): Promise<void> {
    if (quota) return this.#write(quota);
    if (exitReason !== 'completed') return;
    const before = await this.read(agent);
    const after = before && quotaAfterSuccess(before, now);
    if (after && after !== before) await this.#write(after);
  }

  async #stored(agent: string): Promise<QuotaStatus | undefined> {
    if (this.#folder === undefined) return undefined;
    try {
      const text = (await readRegularFile(this.#pathOf(agent), { limit: OWN_FILE_LIMIT })).toString('utf8');
      const quota = lazyModules.keptQuota().parseStoredQuota(text);
      return quota.agent === agent && quota.asOf <= Date.now() + CLOCK_SLACK_MS ? quota : undefined;
    } catch {
      return undefined;
    }
  }

  async #write(quota: QuotaStatus): Promise<void> {
    this.#known.set(quota.agent, quota);
    if (this.#folder === undefined) return;
    await writePrivateFile(this.#pathOf(quota.agent), `${JSON.stringify({ schema: QUOTA_SCHEMA, ...quota })}\n`);
  }

  /** Agent names contain no separators (`findAgentNameIssue`). */
  #pathOf(agent: string): string {
    return join(this.#folder ?? '', `${encodeURIComponent(agent)}.json`);
  }
}
