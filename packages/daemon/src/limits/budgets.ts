import type { Session } from '@agent-mux/api';
import type { BudgetRule, BudgetStatus } from '@agent-mux/api/schemas';
import { projectOf } from '../activity/project-of.ts';
import type { Store, UsageQuery, UsageRow } from '../store/store.ts';
import { dayOf, startOfNextDay } from './days.ts';

type Covered = Pick<Session, 'id' | 'agent' | 'cwd' | 'workspace' | 'budget'>;
type Sums = Pick<BudgetStatus, 'usedUsd' | 'estimatedUsd' | 'unknownCosts' | 'usedTokens'>;

/** All budgets that cover a session, with what is left of them. Its own takes the place of those that the configuration gives to each. */
export async function readBudgetsOf(
  store: Pick<Store, 'readUsage'>,
  rules: readonly BudgetRule[],
  session: Covered,
  now: number,
): Promise<BudgetStatus[]> {
  const own: BudgetRule[] = session.budget ? [{ per: 'session', ...session.budget }] : [];
  const given = rules.filter((rule) => covers(rule, session) && !(rule.per === 'session' && session.budget));
  return Promise.all([...own, ...given].map((rule) => readBudget(store, rule, session, now)));
}

/** Those that are not about one session. */
export async function readSharedBudgets(
  store: Pick<Store, 'readUsage'>,
  rules: readonly BudgetRule[],
  now: number,
): Promise<BudgetStatus[]> {
  const shared = rules.filter(({ per, project }) => per === 'day' || (per === 'project' && project !== undefined));
  return Promise.all(shared.map((rule) => readBudget(store, rule, null, now)));
}

/** What is used up, in words. */
export function describeBudget(status: BudgetStatus): string {
  const { of, usd, tokens, usedUsd, estimatedUsd, unknownCosts, usedTokens } = status;
  const parts = [
    ...(usd === null ? [] : [`$${usedUsd.toFixed(2)} of $${usd.toFixed(2)}`]),
    ...(tokens === null ? [] : [`${Math.round(usedTokens)} of ${Math.round(tokens)} tokens`]),
  ];
  const estimated = usd !== null && estimatedUsd > 0 ? `, $${estimatedUsd.toFixed(2)} of it estimated` : '';
  const unknown = usd !== null && unknownCosts > 0 ? `; ${unknownCosts} calls of unknown cost are not in it` : '';
  return `the budget ${of} is used up: ${parts.join(', ')}${estimated}${unknown}`;
}

/** How it is raised. */
export function budgetAdvice({ per, sessionId, liftsAt }: BudgetStatus): string {
  const lifts = liftsAt === null ? '' : 'it begins anew tomorrow, or ';
  return per === 'session' && sessionId !== null
    ? `amux limits raise ${sessionId.slice(0, 8)} AMOUNT`
    : `${lifts}raise it in the settings of the dashboard (daemon.budgets of the configuration file)`;
}

async function readBudget(
  store: Pick<Store, 'readUsage'>,
  rule: BudgetRule,
  session: Covered | null,
  now: number,
): Promise<BudgetStatus> {
  const { per, project, agent } = rule;
  const [usd, tokens] = [rule.usd ?? null, rule.tokens ?? null];
  const day = dayOf(now);
  const within = project ?? (per === 'project' && session ? projectOf(session) : undefined);
  const query: UsageQuery =
    per === 'session'
      ? { by: 'session', sessionId: session?.id ?? '' }
      : { by: 'project', ...(agent === undefined ? {} : { agent }), ...(per === 'day' ? { from: day, to: day } : {}) };
  const rows = await store.readUsage(query);
  const sums = sum(per === 'session' || within === undefined ? rows : rows.filter(({ key }) => isWithin(key, within)));
  const isSpent = (usd !== null && sums.usedUsd >= usd) || (tokens !== null && sums.usedTokens >= tokens);
  return {
    per,
    of: nameOf(per, within, agent),
    agent: agent ?? null,
    project: per === 'session' ? null : (within ?? null),
    sessionId: per === 'session' ? (session?.id ?? null) : null,
    usd,
    tokens,
    ...sums,
    spent: isSpent,
    liftsAt: per === 'day' ? startOfNextDay(now) : null,
  };
}

function nameOf(per: BudgetRule['per'], project: string | undefined, agent: string | undefined): string {
  const what = { session: 'of this session', day: 'of the day', project: 'of the project' }[per];
  const where = project !== undefined && per !== 'session' ? ` ${per === 'day' ? 'in ' : ''}${project}` : '';
  return `${what}${where}${agent === undefined ? '' : ` for ${agent}`}`;
}

function covers({ project, agent }: BudgetRule, session: Covered): boolean {
  return (agent ?? session.agent) === session.agent && (project === undefined || isWithin(projectOf(session), project));
}

function isWithin(path: string, folder: string): boolean {
  const root = folder.endsWith('/') ? folder.slice(0, -1) : folder;
  return path === root || path.startsWith(`${root}/`);
}

function sum(rows: readonly UsageRow[]): Sums {
  const total = { usedUsd: 0, estimatedUsd: 0, unknownCosts: 0, usedTokens: 0 };
  for (const row of rows) {
    total.usedUsd += row.costUsd;
    total.estimatedUsd += row.estimatedUsd;
    total.unknownCosts += row.unknownCosts;
    total.usedTokens += row.inputTokens + row.outputTokens + row.cacheCreationTokens;
  }
  return total;
}
