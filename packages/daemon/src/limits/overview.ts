import type { AccountQuotas } from './account-quotas.ts';
import { readBudgetsOf, readSharedBudgets } from './budgets.ts';
import type { Continuations } from './continuations.ts';
import { dayOf, formatHours } from './days.ts';
import type { GovernorContext } from './governor-context.ts';

/** Paused and waiting sessions, paused accounts, budgets and the rules in effect. */
export async function readOverview(
  { store, settings, now }: Pick<GovernorContext, 'store' | 'settings' | 'now'>,
  quotas: AccountQuotas,
  continuations: Continuations,
) {
  const time = now();
  const unfinished = await store.listUnfinished();
  const { hours, maxPerDay, staggerMs } = settings.continuation;
  const own = await Promise.all(
    unfinished.filter(({ budget }) => budget !== null).map((each) => readBudgetsOf(store, [], each, time)),
  );
  const continuedToday = continuations.all.filter(({ at, byPerson }) => !byPerson && dayOf(at) === dayOf(time)).length;
  return {
    sessions: unfinished.filter((each) => !each.isTerminated && (each.limit !== null || each.waitingFor !== null)),
    accounts: quotas.list(time).filter(({ pausedUntil }) => pausedUntil !== null),
    budgets: [...(await readSharedBudgets(store, settings.budgets, time)), ...own.flat()],
    rules: { onLimit: settings.onLimit, hours: hours && formatHours(hours), maxPerDay, continuedToday, staggerMs },
  };
}
