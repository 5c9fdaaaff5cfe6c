import type { Message, Session, SessionLimit } from '@agent-mux/api';
import type { AccountQuota, BudgetStatus } from '@agent-mux/api/schemas';
import { type AgentAdapter, type AgentEvent, messageOf } from '@agent-mux/core';
import { DaemonError } from '../daemon-error.ts';
import type { Who } from '../service.ts';
import type { DaemonSettings } from '../settings/settings.ts';
import type { SessionChange, Store } from '../store/store.ts';
import { AccountBook } from './account-book.ts';
import { accountOf } from './accounts.ts';
import { budgetAdvice, describeBudget, readBudgetsOf, readSharedBudgets } from './budgets.ts';
import { attemptOf, Continuations, continuationId, isContinuation } from './continuations.ts';
import { dayOf, hoursInWords } from './days.ts';
import { type Plan, planContinuations } from './plan-continuations.ts';
import { VendorCheck } from './vendor-check.ts';

/** So often the wall clock is looked at while somebody waits. */
const LOOK_EVERY_MS = 1000;
const BUDGET_LIMIT = 'budget';
/** These are looked at no more, whatever the clock says. */
const DECIDED: ReadonlySet<SessionLimit['state']> = new Set(['continued', 'cancelled', 'gave_up']);
const WILL_GO_ON: ReadonlySet<SessionLimit['state']> = new Set(['waits', 'outside_hours', 'capped']);

/** What the governor stands on. */
export interface Around {
  store: Store;
  settings: Pick<DaemonSettings, 'limits' | 'budgets' | 'onLimit' | 'claudeUsage'>;
  env: NodeJS.ProcessEnv;
  now(): number;
  log(line: string): void;
  /** One change at a time for each session. */
  serial: { run<Result>(key: string, work: () => Promise<Result>): Promise<Result> };
  /** Whatever waits for this session may be possible now. */
  kick(id: string): void;
  /** A row has changed without an event. */
  tell(): void;
  adapterOf(session: Pick<Session, 'id' | 'agent' | 'cwd' | 'trustProject'>): AgentAdapter | undefined;
  /** What its agent would be started in. */
  environmentOf(session: Session): Readonly<Record<string, string | undefined>>;
}

/** Says what may be sent when: while an account is used up or a budget spent nothing is, and what is to go on by itself does, once. */
export class Governor {
  readonly #around: Around;
  readonly #book: AccountBook;
  readonly #made: Continuations;
  readonly #vendors: VendorCheck;
  /** Sessions that a limit may have stopped. */
  readonly #watched = new Set<string>();
  /** Sessions with something queued that may not be sent before. */
  readonly #waiting = new Map<string, number>();
  /** Sessions that a person wants to go on whatever is known. */
  readonly #forced = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #day: string;

  constructor(around: Around) {
    this.#around = around;
    this.#book = new AccountBook(around.store);
    this.#made = new Continuations(around.store);
    this.#vendors = new VendorCheck(around, this.#book);
    this.#day = dayOf(around.now());
  }

  /** Takes up what a daemon before this one knew and had decided. Before anything is sent. */
  async open(): Promise<void> {
    const { store, now } = this.#around;
    await this.#book.open();
    await this.#made.open(now());
    for (const session of await store.listUnfinished()) {
      if (session.limit === null) continue;
      this.#watched.add(session.id);
      await this.#made.findUnsent(session.id, session.limit, now());
      // It may have died between the event and what the event means for the account.
      if (
        session.limit.kind === 'usage' &&
        session.account !== null &&
        this.#book.lastTold(session.account) < session.limit.since
      )
        await this.#book.learn(session.account, refusalOf(session, session.limit), now());
    }
  }

  /** From now on the clock is looked at. */
  start(): void {
    this.#timer = setInterval(() => this.look(), LOOK_EVERY_MS);
    this.#timer.unref();
    // A day may have begun meanwhile, or a budget been raised.
    for (const id of this.#watched) this.#around.kick(id);
    this.look();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
  }

  /** The account of a session; kept in its row, since what it was started with is known to nobody after a restart. */
  async placeInAccount(session: Session, isKnown: boolean): Promise<Session> {
    if (session.account !== null && !isKnown) return session;
    const adapter = this.#around.adapterOf(session);
    const account = adapter ? accountOf(adapter, this.#around.environmentOf(session)) : session.agent;
    if (account === session.account) return session;
    return (await this.#around.store.updateSession(session.id, { account })) ?? session;
  }

  /** True: nothing may be sent to it now, and its row says why. Runs within the session's serial. */
  async holds(session: Session, next: Message | undefined): Promise<boolean> {
    const { store, settings, now } = this.#around;
    const spent = (await readBudgetsOf(store, settings.budgets, session, now())).find((budget) => budget.spent);
    if (spent && !this.#forced.has(session.id)) {
      await this.#showBudget(session, spent, next !== undefined);
      return true;
    }
    if (session.limit?.kind === 'budget') await this.#liftBudget(session);
    const until = next && this.#waitOf(session, next);
    if (until === undefined) {
      this.#waiting.delete(session.id);
      if (session.waitsFor) await this.#change(session.id, { waitsFor: null });
      return false;
    }
    const message = `the limit of ${session.agent} is used up, and everything for this account waits`;
    this.#waiting.set(session.id, until);
    await this.#showWait(session, { kind: 'usage', message, until });
    return true;
  }

  /** It was sent: who waits for the same account comes later. */
  async sent({ id, account, waitsFor }: Session, message: Message): Promise<void> {
    this.#forced.delete(id);
    this.#made.noteSent(id);
    if (account !== null && (waitsFor?.kind === 'usage' || isContinuation(message.id)))
      await this.#book.release(account, this.#around.now());
  }

  /** What events of a session mean for its account, after they were stored. */
  async learn({ id, account }: { id: string; account: string | null }, events: readonly AgentEvent[]): Promise<void> {
    const learnt = account === null ? undefined : this.#book.learn(account, events, this.#around.now());
    await learnt?.catch((error) => this.#around.log(`${id}: ${messageOf(error)}`));
    const mayBeLimited = events.some(
      (event) => event.type === 'rate_limit_error' || (event.type === 'turn_end' && event.status !== 'completed'),
    );
    if (mayBeLimited) this.watch(id);
  }

  /** Its limit, or what it is to do about it, may have changed. */
  watch(id: string): void {
    this.#watched.add(id);
    this.look();
  }

  /** Somebody has said anew what it is to do: what was given up or cancelled may go on after all. */
  async reconsider(id: string): Promise<void> {
    const { limit, onLimit } = await this.#find(id);
    const wasOver = limit?.state === 'cancelled' || limit?.state === 'gave_up';
    if (limit && wasOver && onLimit === 'wait')
      await this.#setLimit(id, limit, { state: 'stopped', reason: null, continuesAt: null });
    this.watch(id);
  }

  async cancel(id: string, who: Who): Promise<Session> {
    const { store, now } = this.#around;
    const { limit } = await this.#find(id);
    const makes = limit && limit.state === 'continued' ? await store.getMessage(id, continuationId(limit)) : null;
    if (!limit || !(WILL_GO_ON.has(limit.state) || makes?.state === 'queued'))
      throw new DaemonError('NO_LIMIT', `session ${id} does not go on by itself`, {
        hint: 'amux limits shows who does',
      });
    if (makes) await store.updateMessage(id, makes.id, { state: 'cancelled', endedAt: now() });
    const reason = `cancelled by ${who}`;
    await this.#setLimit(id, limit, { state: 'cancelled', reason, continuesAt: null });
    await store.appendAudit({ time: now(), who, action: 'limit.cancel', sessionId: id, detail: { limit: limit.id } });
    return this.#find(id);
  }

  /** A person wants it now, whatever is known; the agent may refuse again. */
  async continueNow(id: string, who: Who): Promise<Session> {
    const { settings, now, kick } = this.#around;
    const session = await this.#find(id);
    const { limit, waitsFor } = session;
    if (limit?.kind === 'budget' || waitsFor?.kind === 'budget') return this.#sendOverBudget(session, who);
    if (session.isTerminated || (limit === null && waitsFor === null))
      throw new DaemonError('NO_LIMIT', `session ${id} waits for no limit`, { hint: `amux send ${id} "..." goes on` });
    this.#forced.add(id);
    if (limit) await this.#made.make(session, limit, { now: now(), who, message: settings.limits.message });
    this.#around.tell();
    kick(id);
    return this.#find(id);
  }

  /** One message, in spite of the budget: the next one waits again. */
  async #sendOverBudget(session: Session, who: Who): Promise<Session> {
    const { id, limit, waitsFor, queuedMessages } = session;
    if (queuedMessages === 0)
      throw new DaemonError('LIMITED', limit?.message ?? waitsFor?.message ?? '', {
        hint: `nothing waits to be sent; ${limit?.reason ?? 'raise it'}`,
      });
    const { store, now, kick } = this.#around;
    this.#forced.add(id);
    await store.appendAudit({ time: now(), who, action: 'limit.continue', sessionId: id, detail: { limit: 'budget' } });
    kick(id);
    return this.#find(id);
  }

  /** Rules or budgets are others now: who waits may not have to. */
  rulesChanged(): void {
    for (const id of this.#watched) this.#around.kick(id);
    this.look();
  }

  async quota(): Promise<AccountQuota[]> {
    await this.#vendors.askForOwn();
    return this.#book.list(this.#around.now());
  }

  async overview() {
    const { store, settings, now } = this.#around;
    const time = now();
    const unfinished = await store.listUnfinished();
    const { hours, maxPerDay, staggerMs } = settings.limits;
    const own = await Promise.all(
      unfinished.filter(({ budget }) => budget !== null).map((each) => readBudgetsOf(store, [], each, time)),
    );
    const today = this.#made.all.filter(({ at, byPerson }) => !byPerson && dayOf(at) === dayOf(time)).length;
    return {
      sessions: unfinished.filter((each) => !each.isTerminated && (each.limit !== null || each.waitsFor !== null)),
      accounts: this.#book.list(time).filter(({ pausedUntil }) => pausedUntil !== null),
      budgets: [...(await readSharedBudgets(store, settings.budgets, time)), ...own.flat()],
      rules: { onLimit: settings.onLimit, hours: hours && hoursInWords(hours), maxPerDay, today, staggerMs },
    };
  }

  /** Looks at the clock and does what is due; one look at a time. */
  look(): void {
    this.#looking ??= this.#lookNow()
      .catch((error) => this.#around.log(`limits: ${messageOf(error)}`))
      .finally(() => {
        this.#looking = undefined;
      });
  }

  async #lookNow(): Promise<void> {
    const { kick, now } = this.#around;
    const time = now();
    for (const [id, until] of this.#waiting) {
      if (until > time) continue;
      this.#waiting.delete(id);
      kick(id);
    }
    const isNewDay = dayOf(time) !== this.#day;
    this.#day = dayOf(time);
    const rows = await this.#readWatched();
    if (isNewDay) for (const { id, limit, waitsFor } of rows) if ((limit ?? waitsFor)?.kind === 'budget') kick(id);
    const waiting = rows.filter(
      ({ limit, onLimit, isTerminated }) =>
        limit?.kind === 'usage' && onLimit === 'wait' && !isTerminated && !DECIDED.has(limit.state),
    );
    for (const row of rows) if (!waiting.includes(row)) await this.#settle(row);
    for (const plan of this.#plan(waiting, time)) {
      const row = waiting.find(({ id }) => id === plan.id);
      if (row?.limit) await this.#carryOut(row, row.limit, plan);
    }
  }

  async #readWatched(): Promise<Session[]> {
    const rows: Session[] = [];
    for (const id of this.#watched) {
      const row = await this.#around.store.getSession(id);
      if (row && (row.limit !== null || row.waitsFor !== null)) rows.push(row);
      else this.#watched.delete(id);
    }
    return rows;
  }

  #plan(waiting: readonly Session[], time: number): Plan[] {
    const limited = waiting.flatMap(({ id, agent, account, limit }) => {
      if (!limit) return [];
      const { id: limitId, since, resetsAt } = limit;
      return [{ id, limitId, account: account ?? agent, since, resetsAt, attempt: attemptOf(limit) }];
    });
    const closedUntil = new Map<string, number>();
    for (const { account } of limited) {
      const until = this.#book.pausedUntil(account, time);
      if (until !== null) closedUntil.set(account, until);
    }
    const rules = this.#around.settings.limits;
    return planContinuations(
      { limited, continued: this.#made.asOf(time), released: this.#book.released, closedUntil, rules },
      time,
    );
  }

  async #carryOut(session: Session, limit: SessionLimit, plan: Plan): Promise<void> {
    if (plan.state !== 'due' && plan.state !== 'continued')
      return this.#setLimit(session.id, limit, { state: plan.state, reason: plan.reason, continuesAt: plan.at });
    const { serial, now, settings, store, kick } = this.#around;
    await serial.run(session.id, async () => {
      const row = await store.getSession(session.id);
      // A person may have been faster, or changed their mind.
      if (!row?.limit || row.limit.id !== limit.id || DECIDED.has(row.limit.state)) return;
      if (row.isTerminated || row.onLimit !== 'wait') return;
      if (plan.state === 'due' && (await this.#vendors.isStillUsedUp(row))) return;
      await this.#made.make(row, row.limit, { now: now(), who: null, message: settings.limits.message });
      this.#around.tell();
    });
    kick(session.id);
  }

  /** Of a session that does not go on by itself. */
  async #settle({ id, limit, onLimit, isTerminated }: Session): Promise<void> {
    if (limit?.kind !== 'usage') return;
    if (WILL_GO_ON.has(limit.state)) {
      const reason = isTerminated ? 'the session has ended' : onLimit === 'stop' ? null : limit.reason;
      return this.#setLimit(id, limit, { state: 'stopped', reason, continuesAt: null });
    }
    if (limit.state !== 'continued') return;
    const message = await this.#around.store.getMessage(id, continuationId(limit));
    if (message?.state !== 'failed' && message?.state !== 'cancelled') return;
    this.#made.noteSent(id);
    const reason = message.error?.message ?? 'the message that goes on was taken back';
    await this.#setLimit(id, limit, { state: 'stopped', reason, continuesAt: null });
  }

  /** When it may be sent; undefined: now. */
  #waitOf({ id, account, waitsFor }: Session, next: Message): number | undefined {
    const now = this.#around.now();
    if (account === null || this.#forced.has(id)) return undefined;
    const paused = this.#book.pausedUntil(account, now);
    if (paused !== null) return paused;
    // Those that have waited come one after the other; what goes on by itself was given its time before.
    if (waitsFor?.kind !== 'usage' || isContinuation(next.id)) return undefined;
    const last = Math.max(
      this.#book.released.get(account) ?? 0,
      ...this.#made.all.filter((one) => one.account === account).map(({ at }) => at),
    );
    const free = last === 0 ? 0 : Math.min(last, now) + this.#around.settings.limits.staggerMs;
    return free > now ? free : undefined;
  }

  async #showBudget(session: Session, spent: BudgetStatus, hasNext: boolean): Promise<void> {
    const message = describeBudget(spent);
    const { liftsAt } = spent;
    this.#watched.add(session.id);
    if (hasNext) await this.#showWait(session, { kind: 'budget', message, until: liftsAt });
    if (session.limit?.kind === 'usage' || session.limit?.message === message) return;
    const limit: SessionLimit = {
      ...{ id: BUDGET_LIMIT, kind: 'budget', per: spent.per, message, resetsAt: liftsAt, since: this.#around.now() },
      ...{ messageId: null, showed: true, state: 'stopped', reason: budgetAdvice(spent), continuesAt: null },
    };
    const activity = session.activity === 'idle' ? ({ activity: 'limited', activitySince: limit.since } as const) : {};
    await this.#around.store.updateWithLimit(session.id, session.limit?.id ?? null, { limit, ...activity });
    this.#around.tell();
  }

  async #liftBudget({ id, activity }: Session): Promise<void> {
    const now = this.#around.now();
    const change = activity === 'limited' ? ({ activity: 'idle', activitySince: now } as const) : {};
    await this.#around.store.updateWithLimit(id, BUDGET_LIMIT, { limit: null, ...change });
    this.#around.tell();
  }

  async #showWait({ id, waitsFor }: Session, now: NonNullable<Session['waitsFor']>): Promise<void> {
    this.#watched.add(id);
    if (waitsFor?.kind === now.kind && waitsFor.message === now.message && waitsFor.until === now.until) return;
    await this.#change(id, { waitsFor: now });
  }

  async #setLimit(
    id: string,
    limit: SessionLimit,
    now: Pick<SessionLimit, 'state' | 'reason' | 'continuesAt'>,
  ): Promise<void> {
    const { state, reason, continuesAt } = limit;
    if (state === now.state && reason === now.reason && continuesAt === now.continuesAt) return;
    await this.#around.store.updateWithLimit(id, limit.id, { limit: { ...limit, ...now } });
    this.#around.tell();
  }

  async #change(id: string, change: SessionChange): Promise<void> {
    await this.#around.store.updateSession(id, change);
    this.#around.tell();
  }

  async #find(id: string): Promise<Session> {
    const session = await this.#around.store.getSession(id);
    if (!session) throw new DaemonError('NOT_FOUND', `there is no session "${id}"`);
    return session;
  }
}

/** The event that a row remembers. */
function refusalOf({ agent }: Session, { message, resetsAt, since }: SessionLimit): AgentEvent[] {
  const envelope = { agent, runId: '', turnIndex: 0, seq: 0, timestamp: since };
  return [
    { type: 'rate_limit_error', message, retrying: false, ...(resetsAt === null ? {} : { resetsAt }), ...envelope },
  ];
}
