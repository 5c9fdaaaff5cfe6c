import type { BudgetStatus, DaemonClient, LimitOverview, Session } from '@agent-mux/api';
import { hasFlag, type ParsedArgs } from '../command.ts';
import { withDaemon } from '../daemon/open.ts';
import { titleOf } from '../daemon/session-table.ts';
import { EXIT } from '../exit-codes.ts';
import type { JsonDocuments } from '../json/documents.ts';
import { addHead, print, printJson } from '../output.ts';
import { paint } from '../screen/paint.ts';
import { toOneLine } from '../screen/plain.ts';
import { clockTime, untilTime } from '../screen/time.ts';
import { formatMoney, shortIds } from '../sessions/format.ts';
import { UsageError } from '../usage-error.ts';
import { parseBudget } from './budget.ts';
import { formatBudget, formatOutlook } from './format.ts';

export async function listLimits(args: ParsedArgs): Promise<number> {
  return withDaemon(async (daemon) => {
    const limits = await daemon.limits();
    if (hasFlag(args, 'json')) return printJson<'limits list'>(limits);
    const { sessions, accounts, budgets } = limits;
    const now = Date.now();
    if (sessions.length > 0) print(sessionTable(sessions, now));
    else print('No limited sessions.');
    // An account with a listed session is omitted: the session already shows when it continues.
    const listed = new Set(sessions.map(({ account }) => account));
    for (const { account, pausedUntil } of accounts.filter((one) => !listed.has(one.account)))
      print(`\n${account}: exhausted, resets ${untilTime(pausedUntil ?? now, now)}`);
    if (budgets.length > 0) print(`\n${budgetTable(budgets)}`);
    print(paint(process.stdout).dim(rulesOf(limits)));
    return EXIT.ok;
  });
}

type Verb = 'limits cancel' | 'limits continue' | 'limits budget' | 'limits set';

/** Performs one action on a session and prints the result. */
async function actOn(
  args: ParsedArgs,
  act: (daemon: DaemonClient, id: string) => Promise<JsonDocuments[Verb]>,
  describe: (session: Session) => string,
): Promise<number> {
  return withDaemon(async (daemon) => {
    const session = await act(daemon, args.positionals[0] ?? '');
    return hasFlag(args, 'json') ? printJson<Verb>(session) : print(describe(session));
  });
}

export function cancelLimit(args: ParsedArgs): Promise<number> {
  return actOn(
    args,
    (daemon, id) => daemon.sessions.cancelContinuation(id),
    ({ id }) => `${id} does not continue automatically; run "amux limits continue ${id.slice(0, 8)}" to continue it`,
  );
}

export function continueNow(args: ParsedArgs): Promise<number> {
  return actOn(
    args,
    (daemon, id) => daemon.sessions.continueNow(id),
    ({ id, limit }) =>
      limit?.kind === 'budget'
        ? `${id}: the next queued message is sent despite the budget`
        : `${id} continues now; if the limit still applies, the agent will report it again`,
  );
}

export function raiseBudget(args: ParsedArgs): Promise<number> {
  const word = args.positionals[1] ?? '';
  const budget = word === 'none' ? null : parseBudget(word);
  return actOn(
    args,
    (daemon, id) => daemon.sessions.update(id, { budget }),
    ({ id, limit }) =>
      `${id} ${budget ? `has a budget of ${formatBudget(budget)}` : 'has the default budget'}${limit?.kind === 'budget' ? `; ${limit.message}` : ''}`,
  );
}

export function setOnLimit(args: ParsedArgs): Promise<number> {
  const onLimit = args.positionals[1];
  if (onLimit !== 'pause' && onLimit !== 'continue')
    throw new UsageError(`amux limits set: invalid value "${onLimit}"`, 'use pause or continue');
  return actOn(
    args,
    (daemon, id) => daemon.sessions.update(id, { onLimit }),
    ({ id }) => `${id} ${onLimit === 'continue' ? 'continues after a limit resets' : 'pauses at a limit'}`,
  );
}

function sessionTable(sessions: readonly Session[], now: number): string {
  const { cyan, yellow, dim } = paint(process.stdout);
  const ids = sessions.map(({ id }) => id);
  const shown = process.stdout.isTTY ? shortIds(ids) : ids;
  const rows = sessions.map((session, at) => [
    shown[at] ?? session.id,
    session.agent,
    session.onLimit,
    titleOf(session),
    formatOutlook(session, now),
    toOneLine(session.limit?.message ?? session.waitingFor?.message ?? '', 200),
  ]);
  return addHead(
    [['ID', 'AGENT', 'AT LIMIT', 'TITLE', 'NEXT', 'LIMIT'], ...rows],
    (cell, _, column) => (column === 0 ? cyan(cell) : column === 4 ? yellow(cell) : column === 5 ? dim(cell) : cell),
    { keep: [0, 1, 2, 4], spare: [5] },
  );
}

function budgetTable(budgets: readonly BudgetStatus[]): string {
  const { red, green } = paint(process.stdout);
  const rows = budgets.map((budget) => [
    `${budget.sessionId === null ? '' : `${budget.sessionId.slice(0, 8)} `}${budget.label}`,
    formatBudget(budget),
    formatUsage(budget),
    budget.exhausted ? 'exhausted' : 'available',
    budget.resetsAt === null ? '-' : clockTime(budget.resetsAt),
  ]);
  return addHead([['BUDGET', 'LIMIT', 'USED', 'STATE', 'RESETS'], ...rows], (cell, _, column) =>
    column === 3 ? (cell.trim() === 'available' ? green : red)(cell) : cell,
  );
}

function formatUsage({ usd, tokens, usedUsd, estimatedUsd, unpricedCalls, usedTokens }: BudgetStatus): string {
  const parts = [
    ...(usd === null ? [] : [formatMoney(usedUsd)]),
    ...(usd === null || estimatedUsd === 0 ? [] : [`${formatMoney(estimatedUsd, true)} of it estimated`]),
    ...(usd === null || unpricedCalls === 0 ? [] : [`${unpricedCalls} calls of unknown cost`]),
    ...(tokens === null ? [] : [`${Math.round(usedTokens)} tokens`]),
  ];
  return parts.join(', ');
}

function rulesOf({ rules: { onLimit, hours, maxPerDay, continuedToday } }: LimitOverview): string {
  const when = hours === null ? 'at any time' : `at ${hours}`;
  return `new sessions: ${onLimit}. Automatic continuation: ${when}, up to ${maxPerDay} times a day (today: ${continuedToday})`;
}
