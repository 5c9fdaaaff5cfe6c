import type { Message, Session } from '@agent-mux/api';
import { shellCommand } from '@agent-mux/core/light';
import { type Given, isOn } from '../command.ts';
import { budgetWords, outlook } from '../limits/outlook.ts';
import { print, printJson } from '../output.ts';
import { readAsked } from '../requests/asked.ts';
import { requestRows } from '../requests/rows.ts';
import { paint } from '../screen/paint.ts';
import { toOneLine } from '../screen/plain.ts';
import { table } from '../screen/table.ts';
import { clockTime } from '../screen/time.ts';
import { columnsOf } from '../screen/width.ts';
import { age, money, tokenWords } from '../sessions/words.ts';
import { withDaemon } from './open.ts';
import { openRequests } from './pages.ts';
import { titleOf } from './session-table.ts';
import { isElsewhere, paintState, shortFolder, stateWords } from './words.ts';

/** States of a message that a person should know of; the others are over. */
const TOLD: Partial<Record<Message['state'], string>> = {
  queued: 'waits for its turn',
  failed: 'failed',
  unknown: 'it is not known whether the agent got it: its process had ended',
};

export async function showSession(given: Given, id: string): Promise<number> {
  return withDaemon(async (daemon) => {
    const session = await daemon.sessions.get(id);
    if (isOn(given, 'json')) return printJson<'show'>(session);
    const [messages, requests] = await Promise.all([
      daemon.sessions.messages(session.id),
      session.openRequests > 0 ? openRequests(daemon, session.id) : [],
    ]);
    const style = paint(process.stdout);
    const short = session.id.slice(0, 8);
    print(`${paintState(session, stateWords(session), style)}  ${style.bold(titleOf(session))}`);
    const wide = { keep: [0, 1], width: Number.POSITIVE_INFINITY };
    const rows = factsOf(session).flatMap(([name, value]) => (value ? [[name, toOneLine(value, 500)]] : []));
    print(table(rows, (cell, _, column) => (column === 0 ? style.dim(cell) : cell), wide));
    const told = messages.filter(({ state }) => TOLD[state] !== undefined);
    if (told.length > 0) print(`\n${style.bold('Messages')}`);
    for (const { text, state, error } of told) {
      print(`  ${toOneLine(text, 200)} ${style.dim(`(${toOneLine(error?.message ?? TOLD[state] ?? state, 200)})`)}`);
    }
    if (requests.length > 0) print(`\n${style.bold('Waits for you')}`);
    for (const request of requests) {
      const width = process.stdout.isTTY ? columnsOf(process.stdout) : 160;
      const own = requests.length === 1 ? short : request.id.slice(0, 8);
      for (const row of requestRows(await readAsked(daemon, request), { paint: style, width, amux: 'amux', id: own }))
        print(row);
    }
    print(`\n${style.bold('Next')}`);
    const steps = nextSteps(session, short).map(([command, about]) => [`  ${command}`, about]);
    return print(table(steps, (cell, _, column) => (column === 1 ? style.dim(cell) : cell), wide));
  });
}

function factsOf(session: Session): [string, string | undefined][] {
  const { workspace, limit, waitsFor, error } = session;
  const now = Date.now();
  return [
    ['id', session.id],
    ['agent', [session.agent, session.mode, session.model].filter(Boolean).join(' · ')],
    ['runs', isElsewhere(session) ? 'by hand, in a terminal; only its hooks tell of it' : undefined],
    ['native id', session.nativeId ?? undefined],
    ['folder', shortFolder(session.cwd, process.env.HOME, 200)],
    [
      'branch',
      workspace.kind === 'worktree' ? `${workspace.branch}, a worktree of ${workspace.repository}` : undefined,
    ],
    ['saved work', workspace.kind === 'worktree' ? (workspace.savedRef ?? undefined) : undefined],
    ['approvals', session.approvalMode],
    ['since', `${age(session.activitySince, now)}, at ${clockTime(session.activitySince)}`],
    ['begun', `${age(session.createdAt, now)} ago, at ${clockTime(session.createdAt)}`],
    ['turns', String(session.turns)],
    ['tokens', tokenWords(session.usage)],
    ['cost', session.costUsd === null ? undefined : money(session.costUsd, session.costSource === 'estimated')],
    ['variables', session.envNames.join(', ') || undefined],
    ['tags', session.tags.join(', ') || undefined],
    ['fork of', session.forkedFrom ?? undefined],
    ['limit', limit ? `${limit.message}; ${outlook(session, now)}` : undefined],
    ['waits for', waitsFor ? `${waitsFor.message}; ${outlook({ limit: null, waitsFor }, now)}` : undefined],
    ['after a limit', session.onLimit === 'wait' ? 'goes on by itself' : undefined],
    ['budget', session.budget ? budgetWords(session.budget) : undefined],
    ['account', session.account ?? undefined],
    ['error', error ? `${error.message}${error.hint ? `; ${error.hint}` : ''}` : undefined],
    ['last', session.lastLine ?? session.summary ?? undefined],
  ];
}

function nextSteps(session: Session, id: string): [string, string][] {
  const { isTerminated, workspace } = session;
  if (isElsewhere(session)) return [[`amux restore ${id}`, 'goes on with it here, when it has ended in its terminal']];
  if (isTerminated) {
    return [
      [`amux restore ${id}`, 'brings it back'],
      [`amux attach ${id}`, 'what was said'],
    ];
  }
  return [
    [`amux attach ${id}`, 'watch it and talk to it'],
    [`amux send ${id} "..."`, 'say something'],
    ...(workspace.kind === 'worktree'
      ? ([[`git -C ${shellCommand([workspace.path])} diff`, 'what it has changed']] as [string, string][])
      : []),
  ];
}
