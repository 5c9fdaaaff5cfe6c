import type { Message, Session, SessionLimit } from '@agent-mux/api';
import type { AccountQuota, BudgetStatus } from '@agent-mux/api/schemas';
import { type AgentEvent, messageOf } from '@agent-mux/core';
import { DaemonError } from '../daemon-error.ts';
import type { Actor } from '../service.ts';
import type { SessionChange } from '../store/store.ts';
import { AccountQuotas } from './account-quotas.ts';
import { accountOf } from './accounts.ts';
import { budgetHint, describeBudget, readBudgetsOf } from './budgets.ts';
import { attemptOf, Continuations, continuationId, isContinuation } from './continuations.ts';
import { dayOf } from './days.ts';
import type { GovernorContext } from './governor-context.ts';
import { readOverview } from './overview.ts';
import { type Plan, planContinuations } from './plan-continuations.ts';
import { VendorCheck } from './vendor-check.ts';

/** Interval at which the wall clock is checked while a session waits. */
const CHECK_EVERY_MS = 1000;
const BUDGET_LIMIT = 'budget';
/** Final states; the clock no longer matters. */
const DECIDED: ReadonlySet<SessionLimit['state']> = new Set(['continued', 'cancelled', 'gave_up']);
const WILL_CONTINUE: ReadonlySet<SessionLimit['state']> = new Set(['scheduled', 'outside_hours', 'capped']);

/**
 * Decides when messages may be sent: none while an account or budget is exhausted. Continues sessions automatically,
 * once.
 */
export class Governor {
  readonly #context: GovernorContext;
  readonly #quotas: AccountQuotas;
  readonly #continuations: Continuations;
  readonly #vendors: VendorCheck;
  /** Sessions that a limit may have stopped. */
  readonly #watched = new Set<string>();
  /** Sessions with something queued that may not be sent before. */
  readonly #waiting = new Map<string, number>();
  /** Sessions that a person continued in spite of a limit. */
  readonly #forced = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #checking: Promise<void> | undefined;
  #day: string;

  constructor(context: GovernorContext) {
    this.#context = context;
    this.#quotas = new AccountQuotas(context.store);
    this.#continuations = new Continuations(context.store);
    this.#vendors = new VendorCheck(context, this.#quotas);
    this.#day = dayOf(context.now());
  }

  /** Loads what the previous daemon knew and decided. Call it before anything is sent. */
  async open(): Promise<void> {
    const { store, now } = this.#context;
    await this.#quotas.open();
    await this.#continuations.open(now());
    for (const session of await store.listUnfinished()) {
      if (session.limit === null) continue;
      this.#watched.add(session.id);
      await this.#continuations.findUnsent(session.id, session.limit, now());
      // The daemon may have died between storing the event and updating the account.
      if (
        session.limit.kind === 'usage' &&
        session.account !== null &&
        this.#quotas.lastReportedAt(session.account) < session.limit.since
      )
        await this.#quotas.learn(session.account, refusalOf(session, session.limit), now());
    }
  }

  /** Starts checking the clock. */
  start(): void {
    this.#timer = setInterval(() => this.check(), CHECK_EVERY_MS);
    this.#timer.unref();
    // A new day may have started meanwhile, or a budget may have been raised.
    for (const id of this.#watched) this.#context.scheduleDelivery(id);
    this.check();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#checking;
  }

  /**
   * Sets the account of a session. It is stored in the row, since the environment of the session is unknown after a
   * restart.
   */
  async assignAccount(session: Session, isKnown: boolean): Promise<Session> {
    if (session.account !== null && !isKnown) return session;
    const adapter = this.#context.adapterOf(session);
    const account = adapter ? accountOf(adapter, this.#context.environmentOf(session)) : session.agent;
    if (account === session.account) return session;
    return (await this.#context.store.updateSession(session.id, { account })) ?? session;
  }

  /** True if nothing may be sent now; the row says why. Call it while holding the session's mutex. */
  async holds(session: Session, next: Message | undefined): Promise<boolean> {
    const { store, settings, now } = this.#context;
    const exhausted = (await readBudgetsOf(store, settings.budgets, session, now())).find((budget) => budget.exhausted);
    if (exhausted && !this.#forced.has(session.id)) {
      await this.#showBudget(session, exhausted, next !== undefined);
      return true;
    }
    if (session.limit?.kind === 'budget') await this.#liftBudget(session);
    const until = next && this.#waitOf(session, next);
    if (until === undefined) {
      this.#waiting.delete(session.id);
      if (session.waitingFor) await this.#change(session.id, { waitingFor: null });
      return false;
    }
    const message = `the usage limit of ${session.agent} is reached; messages for this account wait`;
    this.#waiting.set(session.id, until);
    await this.#showWait(session, { kind: 'usage', message, until });
    return true;
  }

  /** Call after a message was sent: other sessions of the account are delayed. */
  async sent({ id, account, waitingFor }: Session, message: Message): Promise<void> {
    this.#forced.delete(id);
    this.#continuations.noteSent(id);
    if (account !== null && (waitingFor?.kind === 'usage' || isContinuation(message.id)))
      await this.#quotas.release(account, this.#context.now());
  }

  /** Updates the account from stored events of a session. */
  async learn({ id, account }: { id: string; account: string | null }, events: readonly AgentEvent[]): Promise<void> {
    const learnt = account === null ? undefined : this.#quotas.learn(account, events, this.#context.now());
    await learnt?.catch((error) => this.#context.log(`${id}: ${messageOf(error)}`));
    const mayBeLimited = events.some(
      (event) => event.type === 'rate_limit_error' || (event.type === 'turn_end' && event.status !== 'completed'),
    );
    if (mayBeLimited) this.watch(id);
  }

  /** Call when the limit of a session, or its onLimit setting, may have changed. */
  watch(id: string): void {
    this.#watched.add(id);
    this.check();
  }

  /** The user changed onLimit: a cancelled or abandoned continuation may be scheduled again. */
  async reconsider(id: string): Promise<void> {
    const { limit, onLimit } = await this.#find(id);
    const wasOver = limit?.state === 'cancelled' || limit?.state === 'gave_up';
    if (limit && wasOver && onLimit === 'continue')
      await this.#setLimit(id, limit, { state: 'paused', reason: null, continuesAt: null });
    this.watch(id);
  }

  async cancel(id: string, actor: Actor): Promise<Session> {
    const { store, now } = this.#context;
    const { limit } = await this.#find(id);
    const queued = limit && limit.state === 'continued' ? await store.getMessage(id, continuationId(limit)) : null;
    if (!limit || !(WILL_CONTINUE.has(limit.state) || queued?.state === 'queued'))
      throw new DaemonError('NOT_LIMITED', `session ${id} has no scheduled continuation`, {
        hint: 'run "amux limits" to list scheduled continuations',
      });
    if (queued) await store.updateMessage(id, queued.id, { state: 'cancelled', endedAt: now() });
    const reason = `cancelled by ${actor}`;
    await this.#setLimit(id, limit, { state: 'cancelled', reason, continuesAt: null });
    await store.appendAudit({
      timestamp: now(),
      actor,
      action: 'limit.cancel',
      sessionId: id,
      detail: { limit: limit.id },
    });
    return this.#find(id);
  }

  /** Continues now on request of a person, regardless of known limits; the agent may be refused again. */
  async continueNow(id: string, actor: Actor): Promise<Session> {
    const { settings, now, scheduleDelivery } = this.#context;
    const session = await this.#find(id);
    const { limit, waitingFor } = session;
    if (limit?.kind === 'budget' || waitingFor?.kind === 'budget') return this.#sendOverBudget(session, actor);
    if (session.isTerminated || (limit === null && waitingFor === null))
      throw new DaemonError('NOT_LIMITED', `session ${id} is not limited`, {
        hint: `run "amux send ${id} ..." to continue it`,
      });
    this.#forced.add(id);
    if (limit)
      await this.#continuations.create(session, limit, { now: now(), actor, message: settings.continuation.message });
    this.#context.notify();
    scheduleDelivery(id);
    return this.#find(id);
  }

  /** Sends one message in spite of the budget; the next one waits again. */
  async #sendOverBudget(session: Session, actor: Actor): Promise<Session> {
    const { id, limit, waitingFor, queuedMessages } = session;
    if (queuedMessages === 0)
      throw new DaemonError('LIMITED', limit?.message ?? waitingFor?.message ?? '', {
        hint: `no message is queued; ${limit?.reason ?? 'raise the budget'}`,
      });
    const { store, now, scheduleDelivery } = this.#context;
    this.#forced.add(id);
    await store.appendAudit({
      timestamp: now(),
      actor,
      action: 'limit.continue',
      sessionId: id,
      detail: { limit: 'budget' },
    });
    scheduleDelivery(id);
    return this.#find(id);
  }

  /** Call after rules or budgets changed: waiting sessions may be unblocked. */
  rulesChanged(): void {
    for (const id of this.#watched) this.#context.scheduleDelivery(id);
    this.check();
  }

  async quota(): Promise<AccountQuota[]> {
    await this.#vendors.queryOwnAccounts();
    return this.#quotas.list(this.#context.now());
  }

  overview() {
    return readOverview(this.#context, this.#quotas, this.#continuations);
  }

  /** Checks the clock and does what is due; one check at a time. */
  check(): void {
    this.#checking ??= this.#checkNow()
      .catch((error) => this.#context.log(`limits: ${messageOf(error)}`))
      .finally(() => {
        this.#checking = undefined;
      });
  }

  async #checkNow(): Promise<void> {
    const { scheduleDelivery, now } = this.#context;
    const time = now();
    for (const [id, until] of this.#waiting) {
      if (until > time) continue;
      this.#waiting.delete(id);
      scheduleDelivery(id);
    }
    const isNewDay = dayOf(time) !== this.#day;
    this.#day = dayOf(time);
    const rows = await this.#readWatched();
    if (isNewDay)
      for (const { id, limit, waitingFor } of rows) if ((limit ?? waitingFor)?.kind === 'budget') scheduleDelivery(id);
    const waiting = rows.filter(
      ({ limit, onLimit, isTerminated }) =>
        limit?.kind === 'usage' && onLimit === 'continue' && !isTerminated && !DECIDED.has(limit.state),
    );
    for (const row of rows) if (!waiting.includes(row)) await this.#updateIdleLimit(row);
    for (const plan of this.#plan(waiting, time)) {
      const row = waiting.find(({ id }) => id === plan.id);
      if (row?.limit) await this.#applyPlan(row, row.limit, plan);
    }
  }

  async #readWatched(): Promise<Session[]> {
    const rows: Session[] = [];
    for (const id of this.#watched) {
      const row = await this.#context.store.getSession(id);
      if (row && (row.limit !== null || row.waitingFor !== null)) rows.push(row);
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
      const until = this.#quotas.pausedUntil(account, time);
      if (until !== null) closedUntil.set(account, until);
    }
    const rules = this.#context.settings.continuation;
    return planContinuations(
      { limited, continued: this.#continuations.asOf(time), released: this.#quotas.released, closedUntil, rules },
      time,
    );
  }

  async #applyPlan(session: Session, limit: SessionLimit, plan: Plan): Promise<void> {
    if (plan.state !== 'due' && plan.state !== 'continued')
      return this.#setLimit(session.id, limit, { state: plan.state, reason: plan.reason, continuesAt: plan.at });
    const { mutex, now, settings, store, scheduleDelivery } = this.#context;
    await mutex.run(session.id, async () => {
      const row = await store.getSession(session.id);
      // A person may have continued it already, or changed the setting.
      if (!row?.limit || row.limit.id !== limit.id || DECIDED.has(row.limit.state)) return;
      if (row.isTerminated || row.onLimit !== 'continue') return;
      if (plan.state === 'due' && (await this.#vendors.isStillExhausted(row))) return;
      await this.#continuations.create(row, row.limit, {
        now: now(),
        actor: null,
        message: settings.continuation.message,
      });
      this.#context.notify();
    });
    scheduleDelivery(session.id);
  }

  /** Updates the limit of a session that does not continue automatically. */
  async #updateIdleLimit({ id, limit, onLimit, isTerminated }: Session): Promise<void> {
    if (limit?.kind !== 'usage') return;
    if (WILL_CONTINUE.has(limit.state)) {
      const reason = isTerminated ? 'the session has ended' : onLimit === 'pause' ? null : limit.reason;
      return this.#setLimit(id, limit, { state: 'paused', reason, continuesAt: null });
    }
    if (limit.state !== 'continued') return;
    const message = await this.#context.store.getMessage(id, continuationId(limit));
    if (message?.state !== 'failed' && message?.state !== 'cancelled') return;
    this.#continuations.noteSent(id);
    const reason = message.error?.message ?? 'the continuation message was cancelled';
    await this.#setLimit(id, limit, { state: 'paused', reason, continuesAt: null });
  }

  /** Time from which the message may be sent; undefined means now. */
  #waitOf({ id, account, waitingFor }: Session, next: Message): number | undefined {
    const now = this.#context.now();
    if (account === null || this.#forced.has(id)) return undefined;
    const paused = this.#quotas.pausedUntil(account, now);
    if (paused !== null) return paused;
    // Waiting sessions are released one after the other; a continuation already has its scheduled time.
    if (waitingFor?.kind !== 'usage' || isContinuation(next.id)) return undefined;
    const last = Math.max(
      this.#quotas.released.get(account) ?? 0,
      ...this.#continuations.all.filter((one) => one.account === account).map(({ at }) => at),
    );
    const free = last === 0 ? 0 : Math.min(last, now) + this.#context.settings.continuation.staggerMs;
    return free > now ? free : undefined;
  }

  async #showBudget(session: Session, exhausted: BudgetStatus, hasNext: boolean): Promise<void> {
    const message = describeBudget(exhausted);
    const { resetsAt } = exhausted;
    this.#watched.add(session.id);
    if (hasNext) await this.#showWait(session, { kind: 'budget', message, until: resetsAt });
    if (session.limit?.kind === 'usage' || session.limit?.message === message) return;
    const limit: SessionLimit = {
      ...{
        id: BUDGET_LIMIT,
        kind: 'budget',
        per: exhausted.per,
        message,
        resetsAt: resetsAt,
        since: this.#context.now(),
      },
      ...{ messageId: null, hadOutput: true, state: 'paused', reason: budgetHint(exhausted), continuesAt: null },
    };
    const activity = session.activity === 'idle' ? ({ activity: 'limited', activitySince: limit.since } as const) : {};
    await this.#context.store.updateWithLimit(session.id, session.limit?.id ?? null, { limit, ...activity });
    this.#context.notify();
  }

  async #liftBudget({ id, activity }: Session): Promise<void> {
    const now = this.#context.now();
    const change = activity === 'limited' ? ({ activity: 'idle', activitySince: now } as const) : {};
    await this.#context.store.updateWithLimit(id, BUDGET_LIMIT, { limit: null, ...change });
    this.#context.notify();
  }

  async #showWait({ id, waitingFor }: Session, now: NonNullable<Session['waitingFor']>): Promise<void> {
    this.#watched.add(id);
    if (waitingFor?.kind === now.kind && waitingFor.message === now.message && waitingFor.until === now.until) return;
    await this.#change(id, { waitingFor: now });
  }

  async #setLimit(
    id: string,
    limit: SessionLimit,
    now: Pick<SessionLimit, 'state' | 'reason' | 'continuesAt'>,
  ): Promise<void> {
    const { state, reason, continuesAt } = limit;
    if (state === now.state && reason === now.reason && continuesAt === now.continuesAt) return;
    await this.#context.store.updateWithLimit(id, limit.id, { limit: { ...limit, ...now } });
    this.#context.notify();
  }

  async #change(id: string, change: SessionChange): Promise<void> {
    await this.#context.store.updateSession(id, change);
    this.#context.notify();
  }

  async #find(id: string): Promise<Session> {
    const session = await this.#context.store.getSession(id);
    if (!session) throw new DaemonError('NOT_FOUND', `unknown session "${id}"`);
    return session;
  }
}

/** Recreates the event from the row. */
function refusalOf({ agent }: Session, { message, resetsAt, since }: SessionLimit): AgentEvent[] {
  const envelope = { agent, runId: '', turnIndex: 0, seq: 0, timestamp: since };
  return [
    { type: 'rate_limit_error', message, retrying: false, ...(resetsAt === null ? {} : { resetsAt }), ...envelope },
  ];
}
