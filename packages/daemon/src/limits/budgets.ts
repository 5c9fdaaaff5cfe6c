import type { Session } from '@agent-mux/api';
import type { BudgetRule, BudgetStatus } from '@agent-mux/api/schemas';
import { projectOf } from '../activity/project-of.ts';
import type { Store, UsageQuery, UsageRow } from '../store/store.ts';
import { dayOf, startOfNextDay } from './days.ts';

type Covered = Pick<Session, 'id' | 'agent' | 'cwd' | 'workspace' | 'budget'>;
type Sums = Pick<BudgetStatus, 'usedUsd' | 'estimatedUsd' | 'unpricedCalls' | 'usedTokens'>;

/**
 * All budgets of a session with their usage. Its sessionBudget budget replaces the per-session budgets of the
 * configuration.
 */
export async function readBudgetsOf(
  store: Pick<Store, 'readUsage'>,
  rules: readonly BudgetRule[],
  session: Covered,
  now: number,
): Promise<BudgetStatus[]> {
  const sessionBudget: BudgetRule[] = session.budget ? [{ per: 'session', ...session.budget }] : [];
  const matching = rules.filter((rule) => covers(rule, session) && !(rule.per === 'session' && session.budget));
  return Promise.all([...sessionBudget, ...matching].map((rule) => readBudget(store, rule, session, now)));
}

/** Budgets that do not belong to one session. */
export async function readSharedBudgets(
  store: Pick<Store, 'readUsage'>,
  rules: readonly BudgetRule[],
  now: number,
): Promise<BudgetStatus[]> {
  const shared = rules.filter(({ per, project }) => per === 'day' || (per === 'project' && project !== undefined));
  return Promise.all(shared.map((rule) => readBudget(store, rule, null, now)));
}

/** Human-readable text for an exhausted budget. */
export function describeBudget(status: BudgetStatus): string {
  const { label, usd, tokens, usedUsd, estimatedUsd, unpricedCalls, usedTokens } = status;
  const parts = [
    ...(usd === null ? [] : [`$${usedUsd.toFixed(2)} of $${usd.toFixed(2)}`]),
    ...(tokens === null ? [] : [`${Math.round(usedTokens)} of ${Math.round(tokens)} tokens`]),
  ];
  const estimated = usd !== null && estimatedUsd > 0 ? `, $${estimatedUsd.toFixed(2)} of it estimated` : '';
  const unknown = usd !== null && unpricedCalls > 0 ? `, excluding ${unpricedCalls} calls of unknown cost` : '';
  return `the budget ${label} is used up: ${parts.join(', ')}${estimated}${unknown}`;
}

/** How to raise the budget. */
export function budgetHint({ per, sessionId, resetsAt }: BudgetStatus): string {
  const reset = resetsAt === null ? '' : 'wait until it resets tomorrow, or ';
  return per === 'session' && sessionId !== null
    ? `run "amux limits budget ${sessionId.slice(0, 8)} AMOUNT"`
    : `${reset}raise it in the dashboard settings (daemon.budgets in the config file)`;
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
  const isExhausted = (usd !== null && sums.usedUsd >= usd) || (tokens !== null && sums.usedTokens >= tokens);
  return {
    per,
    label: nameOf(per, within, agent),
    agent: agent ?? null,
    project: per === 'session' ? null : (within ?? null),
    sessionId: per === 'session' ? (session?.id ?? null) : null,
    usd,
    tokens,
    ...sums,
    exhausted: isExhausted,
    resetsAt: per === 'day' ? startOfNextDay(now) : null,
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
  const total = { usedUsd: 0, estimatedUsd: 0, unpricedCalls: 0, usedTokens: 0 };
  for (const row of rows) {
    total.usedUsd += row.costUsd;
    total.estimatedUsd += row.estimatedUsd;
    total.unpricedCalls += row.unpricedCalls;
    total.usedTokens += row.inputTokens + row.outputTokens + row.cacheCreationTokens;
  }
  return total;
}
