import type { BudgetStatus, DaemonClient, LimitOverview, Session } from '@agent-mux/api';
import { type Given, isOn } from '../command.ts';
import { withDaemon } from '../daemon/open.ts';
import { titleOf } from '../daemon/session-table.ts';
import { EXIT } from '../exit-codes.ts';
import type { JsonDocuments } from '../json/documents.ts';
import { addHead, print, printJson } from '../output.ts';
import { paint } from '../screen/paint.ts';
import { toOneLine } from '../screen/plain.ts';
import { clockTime, untilTime } from '../screen/time.ts';
import { money, shortIds } from '../sessions/words.ts';
import { UsageError } from '../usage-error.ts';
import { parseBudget } from './budget.ts';
import { budgetWords, outlook } from './outlook.ts';

export async function listLimits(given: Given): Promise<number> {
  return withDaemon(async (daemon) => {
    const limits = await daemon.limits();
    if (isOn(given, 'json')) return printJson<'limits list'>(limits);
    const { sessions, accounts, budgets } = limits;
    const now = Date.now();
    if (sessions.length > 0) print(sessionTable(sessions, now));
    else print('No session waits for a limit.');
    // A listed session of the account shows when it continues; a second time for the same limit would contradict it.
    const listed = new Set(sessions.map(({ account }) => account));
    for (const { account, pausedUntil } of accounts.filter((one) => !listed.has(one.account)))
      print(`\n${account}: used up, lifted ${untilTime(pausedUntil ?? now, now)}`);
    if (budgets.length > 0) print(`\n${budgetTable(budgets)}`);
    print(paint(process.stdout).dim(rulesOf(limits)));
    return EXIT.ok;
  });
}

type Verb = 'limits cancel' | 'limits now' | 'limits raise' | 'limits set';

/** Does one thing to one session, and says what becomes of it. */
async function actOn(
  given: Given,
  act: (daemon: DaemonClient, id: string) => Promise<JsonDocuments[Verb]>,
  tell: (session: Session) => string,
): Promise<number> {
  return withDaemon(async (daemon) => {
    const session = await act(daemon, given.words[0] ?? '');
    return isOn(given, 'json') ? printJson<Verb>(session) : print(tell(session));
  });
}

export function cancelLimit(given: Given): Promise<number> {
  return actOn(
    given,
    (daemon, id) => daemon.sessions.cancelLimit(id),
    ({ id }) => `${id} does not go on by itself; amux limits now ${id.slice(0, 8)} lets it`,
  );
}

export function continueNow(given: Given): Promise<number> {
  return actOn(
    given,
    (daemon, id) => daemon.sessions.continueLimit(id),
    ({ id, limit }) =>
      limit?.kind === 'budget'
        ? `${id}: the next message that waits is sent, in spite of the budget`
        : `${id} goes on now; where the limit holds still, the agent refuses again`,
  );
}

export function raiseBudget(given: Given): Promise<number> {
  const word = given.words[1] ?? '';
  const budget = word === 'none' ? null : parseBudget(word);
  return actOn(
    given,
    (daemon, id) => daemon.sessions.change(id, { budget }),
    ({ id, limit }) =>
      `${id} ${budget ? `may use ${budgetWords(budget)} in all` : 'has no budget of its own any more'}${limit?.kind === 'budget' ? `; ${limit.message}` : ''}`,
  );
}

export function setOnLimit(given: Given): Promise<number> {
  const wish = given.words[1];
  if (wish !== 'stop' && wish !== 'wait')
    throw new UsageError(`amux limits set ID does not understand "${wish}"`, 'say stop or wait');
  return actOn(
    given,
    (daemon, id) => daemon.sessions.change(id, { onLimit: wish }),
    ({ id }) => `${id} ${wish === 'wait' ? 'goes on by itself after a limit' : 'stays where a limit stops it'}`,
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
    outlook(session, now),
    toOneLine(session.limit?.message ?? session.waitsFor?.message ?? '', 200),
  ]);
  return addHead(
    [['ID', 'AGENT', 'THEN', 'TITLE', 'WHAT NEXT', 'LIMIT'], ...rows],
    (cell, _, column) => (column === 0 ? cyan(cell) : column === 4 ? yellow(cell) : column === 5 ? dim(cell) : cell),
    { keep: [0, 1, 2, 4], spare: [5] },
  );
}

function budgetTable(budgets: readonly BudgetStatus[]): string {
  const { red, green } = paint(process.stdout);
  const rows = budgets.map((budget) => [
    `${budget.sessionId === null ? '' : `${budget.sessionId.slice(0, 8)} `}${budget.of}`,
    budgetWords(budget),
    usedWords(budget),
    budget.spent ? 'used up' : 'open',
    budget.liftsAt === null ? '-' : clockTime(budget.liftsAt),
  ]);
  return addHead([['BUDGET', 'MAY USE', 'USED', 'STATE', 'BEGINS ANEW'], ...rows], (cell, _, column) =>
    column === 3 ? (cell.trim() === 'open' ? green : red)(cell) : cell,
  );
}

function usedWords({ usd, tokens, usedUsd, estimatedUsd, unknownCosts, usedTokens }: BudgetStatus): string {
  const parts = [
    ...(usd === null ? [] : [money(usedUsd)]),
    ...(usd === null || estimatedUsd === 0 ? [] : [`${money(estimatedUsd, true)} of it estimated`]),
    ...(usd === null || unknownCosts === 0 ? [] : [`${unknownCosts} calls of unknown cost`]),
    ...(tokens === null ? [] : [`${Math.round(usedTokens)} tokens`]),
  ];
  return parts.join(', ');
}

function rulesOf({ rules: { onLimit, hours, maxPerDay, today } }: LimitOverview): string {
  const when = hours === null ? 'at any time' : `at ${hours}`;
  return `new sessions: ${onLimit}. By themselves sessions go on ${when}, ${maxPerDay} times a day at most (today: ${today})`;
}
