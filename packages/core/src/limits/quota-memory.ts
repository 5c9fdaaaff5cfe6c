import { join } from 'node:path';
import type { QuotaStatus } from '../contract/quota.ts';
import type { RunResult } from '../contract/run.ts';
import { keepFile } from '../files/keep-file.ts';
import { OWN_FILE_LIMIT, readRegularFile } from '../files/regular-file.ts';
import { stateFolder } from '../files/state-folder.ts';
import { onDemand } from '../on-demand.ts';
import { QUOTA_SCHEMA, quotaAfterSuccess, quotaAt } from './quota.ts';

/** Of a clock that was ahead: it would be the newest for ever. */
const CLOCK_SLACK_MS = 60_000;

/** The last that each agent has told of its limits, kept between processes: a file for each, so that nobody writes over another's. */
export class QuotaMemory {
  readonly #folder: string | undefined;
  readonly #known = new Map<string, QuotaStatus>();

  /** `keep: false`: known in this process only. */
  constructor(env: NodeJS.ProcessEnv, { keep = true } = {}) {
    const named = keep && (env.XDG_STATE_HOME || env.HOME || env.USERPROFILE);
    this.#folder = named ? join(stateFolder(env), 'quota') : undefined;
  }

  /** The newest of what is kept and what was told meanwhile, as of now. Null: nothing is known. */
  async read(agent: string, told: readonly QuotaStatus[] = [], now: number = Date.now()): Promise<QuotaStatus | null> {
    const all = [...told, this.#known.get(agent), await this.#kept(agent)].filter((quota) => quota !== undefined);
    const newest = all.reduce<QuotaStatus | null>((a, b) => (a === null || b.asOf > a.asOf ? b : a), null);
    return newest && quotaAt(newest, now);
  }

  /** What a run has told; one that came to a good end and told nothing shows that no refusal holds any longer. */
  async learn({ agent, quota, exitReason }: RunResult, now: number = Date.now()): Promise<void> {
    if (quota) return this.#write(quota);
    if (exitReason !== 'completed') return;
    const before = await this.read(agent);
    const after = before && quotaAfterSuccess(before, now);
    if (after && after !== before) await this.#write(after);
  }

  async #kept(agent: string): Promise<QuotaStatus | undefined> {
    if (this.#folder === undefined) return undefined;
    try {
      const text = (await readRegularFile(this.#pathOf(agent), { limit: OWN_FILE_LIMIT })).toString('utf8');
      const quota = onDemand.keptQuota().parseKeptQuota(text);
      return quota.agent === agent && quota.asOf <= Date.now() + CLOCK_SLACK_MS ? quota : undefined;
    } catch {
      return undefined;
    }
  }

  async #write(quota: QuotaStatus): Promise<void> {
    this.#known.set(quota.agent, quota);
    if (this.#folder === undefined) return;
    await keepFile(this.#pathOf(quota.agent), `${JSON.stringify({ schema: QUOTA_SCHEMA, ...quota })}\n`);
  }

  /** The names of agents have no separators in them (`agentNameFault`). */
  #pathOf(agent: string): string {
    return join(this.#folder ?? '', `${encodeURIComponent(agent)}.json`);
  }
}
