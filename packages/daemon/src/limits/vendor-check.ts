import type { Session } from '@agent-mux/api';
import type { AccountQuotas } from './account-quotas.ts';
import { accountOf } from './accounts.ts';
import type { GovernorContext } from './governor-context.ts';
import { VendorQueries } from './vendor-queries.ts';

/** Agents whose provider may be queried, by the setting that allows it. */
const AGENT_BY_SETTING = { queryClaudeUsage: 'claude' } as const;

/** Queries providers for account limits, if the user allows it, and stores the results. */
export class VendorCheck {
  readonly #context: GovernorContext;
  readonly #quotas: AccountQuotas;
  readonly #queries: VendorQueries;

  constructor(context: GovernorContext, quotas: AccountQuotas) {
    this.#context = context;
    this.#quotas = quotas;
    this.#queries = new VendorQueries(context.log, context.env.AGENT_MUX_CLAUDE_USAGE_URL);
  }

  /** Called right before a session continues automatically. The plan already includes what the agent reported. */
  async isStillExhausted(session: Session): Promise<boolean> {
    const { now, adapterOf, environmentOf } = this.#context;
    const { agent, account } = session;
    const adapter = adapterOf(session);
    if (account === null || !adapter || !this.#allowed().includes(agent)) return false;
    const env = environmentOf(session);
    // After a restart the environment may contain another login.
    if (accountOf(adapter, env) !== account) return false;
    const windows = await this.#queries.query(account, adapter, env);
    if (windows) await this.#quotas.take(account, agent, windows, now());
    return this.#quotas.pausedUntil(account, now()) !== null;
  }

  /** Queries the logins that this daemon would use. */
  async queryOwnAccounts(): Promise<void> {
    const { env, now, adapterOf } = this.#context;
    for (const agent of this.#allowed()) {
      const adapter = adapterOf({ agent, cwd: '/', trustProject: false, id: '' });
      if (!adapter) continue;
      const account = accountOf(adapter, env);
      const windows = await this.#queries.query(account, adapter, env);
      if (windows) await this.#quotas.take(account, agent, windows, now());
    }
  }

  #allowed(): string[] {
    const { settings } = this.#context;
    return settings.queryClaudeUsage ? [AGENT_BY_SETTING.queryClaudeUsage] : [];
  }
}
