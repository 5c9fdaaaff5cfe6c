import type { Session } from '@agent-mux/api';
import type { AccountBook } from './account-book.ts';
import { accountOf } from './accounts.ts';
import { VendorQuestions } from './ask-vendor.ts';
import type { Around } from './governor.ts';

/** The agents whose vendor may be asked, by the setting that allows it. */
const ASKED_BY_SETTING = { claudeUsage: 'claude' } as const;

/** What vendors say of an account, where the user lets them be asked; written into the book. */
export class VendorCheck {
  readonly #around: Around;
  readonly #book: AccountBook;
  readonly #questions: VendorQuestions;

  constructor(around: Around, book: AccountBook) {
    this.#around = around;
    this.#book = book;
    this.#questions = new VendorQuestions(around.log, around.env.AGENT_MUX_CLAUDE_USAGE_URL);
  }

  /** Right before a session goes on by itself. What the agent told before is in the plan already. */
  async isStillUsedUp(session: Session): Promise<boolean> {
    const { now, adapterOf, environmentOf } = this.#around;
    const { agent, account } = session;
    const adapter = adapterOf(session);
    if (account === null || !adapter || !this.#allowed().includes(agent)) return false;
    const env = environmentOf(session);
    // After a restart another login may be in its place.
    if (accountOf(adapter, env) !== account) return false;
    const windows = await this.#questions.ask(account, adapter, env);
    if (windows) await this.#book.take(account, agent, windows, now());
    return this.#book.pausedUntil(account, now()) !== null;
  }

  /** For the logins that this daemon itself would use. */
  async askForOwn(): Promise<void> {
    const { env, now, adapterOf } = this.#around;
    for (const agent of this.#allowed()) {
      const adapter = adapterOf({ agent, cwd: '/', trustProject: false, id: '' });
      if (!adapter) continue;
      const account = accountOf(adapter, env);
      const windows = await this.#questions.ask(account, adapter, env);
      if (windows) await this.#book.take(account, agent, windows, now());
    }
  }

  #allowed(): string[] {
    const { settings } = this.#around;
    return settings.claudeUsage ? [ASKED_BY_SETTING.claudeUsage] : [];
  }
}
