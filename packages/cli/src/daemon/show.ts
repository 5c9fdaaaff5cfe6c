import type { Message, Session } from '@agent-mux/api';
import { shellCommand } from '@agent-mux/core/light';
import { hasFlag, type ParsedArgs } from '../command.ts';
import { formatBudget, formatOutlook } from '../limits/format.ts';
import { print, printJson } from '../output.ts';
import { readRequestDetails } from '../requests/request-details.ts';
import { requestRows } from '../requests/rows.ts';
import { paint } from '../screen/paint.ts';
import { toOneLine } from '../screen/plain.ts';
import { table } from '../screen/table.ts';
import { clockTime } from '../screen/time.ts';
import { columnsOf } from '../screen/width.ts';
import { formatAge, formatMoney, formatTokens } from '../sessions/format.ts';
import { formatState, isUnmanaged, paintState, shortFolder } from './format.ts';
import { withDaemon } from './open.ts';
import { openRequests } from './pages.ts';
import { titleOf } from './session-table.ts';

/** Message states worth showing; the others are final. */
const SHOWN_STATES: Partial<Record<Message['state'], string>> = {
  queued: 'queued',
  failed: 'failed',
  unknown: 'unknown whether the agent received it: its process exited',
};

export async function showSession(args: ParsedArgs, id: string): Promise<number> {
  return withDaemon(async (daemon) => {
    const session = await daemon.sessions.get(id);
    if (hasFlag(args, 'json')) return printJson<'show'>(session);
    const [messages, requests] = await Promise.all([
      daemon.sessions.messages(session.id),
      session.openRequests > 0 ? openRequests(daemon, session.id) : [],
    ]);
    const style = paint(process.stdout);
    const short = session.id.slice(0, 8);
    print(`${paintState(session, formatState(session), style)}  ${style.bold(titleOf(session))}`);
    const wide = { keep: [0, 1], width: Number.POSITIVE_INFINITY };
    const rows = factsOf(session).flatMap(([name, value]) => (value ? [[name, toOneLine(value, 500)]] : []));
    print(table(rows, (cell, _, column) => (column === 0 ? style.dim(cell) : cell), wide));
    const pending = messages.filter(({ state }) => SHOWN_STATES[state] !== undefined);
    if (pending.length > 0) print(`\n${style.bold('Messages')}`);
    for (const { text, state, error } of pending) {
      print(
        `  ${toOneLine(text, 200)} ${style.dim(`(${toOneLine(error?.message ?? SHOWN_STATES[state] ?? state, 200)})`)}`,
      );
    }
    if (requests.length > 0) print(`\n${style.bold('Open requests')}`);
    for (const request of requests) {
      const width = process.stdout.isTTY ? columnsOf(process.stdout) : 160;
      const own = requests.length === 1 ? short : request.id.slice(0, 8);
      for (const row of requestRows(await readRequestDetails(daemon, request), {
        paint: style,
        width,
        amux: 'amux',
        id: own,
      }))
        print(row);
    }
    print(`\n${style.bold('Next steps')}`);
    const steps = nextSteps(session, short).map(([command, about]) => [`  ${command}`, about]);
    return print(table(steps, (cell, _, column) => (column === 1 ? style.dim(cell) : cell), wide));
  });
}

function factsOf(session: Session): [string, string | undefined][] {
  const { workspace, limit, waitingFor, error } = session;
  const now = Date.now();
  return [
    ['id', session.id],
    ['agent', [session.agent, session.mode, session.model].filter(Boolean).join(' · ')],
    ['runs', isUnmanaged(session) ? 'unmanaged, in a terminal; known through its hooks only' : undefined],
    ['agent session', session.agentSessionId ?? undefined],
    ['folder', shortFolder(session.cwd, process.env.HOME, 200)],
    [
      'branch',
      workspace.kind === 'worktree' ? `${workspace.branch}, a worktree of ${workspace.repository}` : undefined,
    ],
    ['saved work', workspace.kind === 'worktree' ? (workspace.savedRef ?? undefined) : undefined],
    ['approvals', session.approvalMode],
    ['since', `${formatAge(session.activitySince, now)}, at ${clockTime(session.activitySince)}`],
    ['started', `${formatAge(session.createdAt, now)} ago, at ${clockTime(session.createdAt)}`],
    ['turns', String(session.turns)],
    ['tokens', formatTokens(session.usage)],
    ['cost', session.costUsd === null ? undefined : formatMoney(session.costUsd, session.costSource === 'estimated')],
    ['variables', session.envNames.join(', ') || undefined],
    ['tags', session.tags.join(', ') || undefined],
    ['fork of', session.forkedFrom ?? undefined],
    ['limit', limit ? `${limit.message}; ${formatOutlook(session, now)}` : undefined],
    [
      'waiting for',
      waitingFor ? `${waitingFor.message}; ${formatOutlook({ limit: null, waitingFor }, now)}` : undefined,
    ],
    ['at a limit', session.onLimit === 'continue' ? 'continues after the reset' : undefined],
    ['budget', session.budget ? formatBudget(session.budget) : undefined],
    ['account', session.account ?? undefined],
    ['error', error ? `${error.message}${error.hint ? `; ${error.hint}` : ''}` : undefined],
    ['last', session.statusText ?? session.summary ?? undefined],
  ];
}

function nextSteps(session: Session, id: string): [string, string][] {
  const { isTerminated, workspace } = session;
  if (isUnmanaged(session)) return [[`amux restore ${id}`, 'Continue it here, when it has ended in its terminal']];
  if (isTerminated) {
    return [
      [`amux restore ${id}`, 'Restore it'],
      [`amux attach ${id}`, 'Show the conversation'],
    ];
  }
  return [
    [`amux attach ${id}`, 'Attach to it'],
    [`amux send ${id} "..."`, 'Send a message'],
    ...(workspace.kind === 'worktree'
      ? ([[`git -C ${shellCommand([workspace.path])} diff`, 'Show its changes']] as [string, string][])
      : []),
  ];
}
