import type { Request, Session } from '@agent-mux/api';
import { addHead } from '../output.ts';
import { paint } from '../screen/paint.ts';
import { toOneLine } from '../screen/plain.ts';
import { age, money, shortIds } from '../sessions/words.ts';
import { needsPerson, paintState, shortFolder, stateWords } from './words.ts';

const FOLDER_WIDTH = 28;
const STATE = 2;

/** Those that wait for a person first, then pinned ones, then the newest. */
export function sortSessions(sessions: readonly Session[]): Session[] {
  const rank = (session: Session) => (needsPerson(session) ? 0 : session.isTerminated ? 3 : session.pinned ? 1 : 2);
  return [...sessions].sort((a, b) => rank(a) - rank(b) || b.lastActiveAt - a.lastActiveAt);
}

/** `requests`: the first open one of each session, in words, by the session's id. */
export function sessionTable(
  sessions: readonly Session[],
  { now, home, waits }: { now: number; home: string | undefined; waits: ReadonlyMap<string, string> },
): string {
  const style = paint(process.stdout);
  const ids = shortSessionIds(sessions);
  const head = ['ID', 'AGENT', 'STATE', 'TITLE', 'FOLDER', 'AGE', 'COST', 'WAITS FOR'];
  const rows = sessions.map((session, at) => [
    ids[at] ?? session.id,
    session.agent,
    stateWords(session),
    titleOf(session),
    shortFolder(projectOf(session), home, FOLDER_WIDTH),
    age(session.lastActiveAt, now),
    session.costUsd === null ? '' : money(session.costUsd, session.costSource === 'estimated'),
    waitsFor(session, waits, now),
  ]);
  return addHead(
    [head, ...rows],
    (cell, row, column) => {
      const session = sessions[row - 1];
      if (!session) return cell;
      if (column === 0) return style.cyan(cell);
      if (column === STATE) return paintState(session, cell, style);
      if (column === 7) return session.error && session.openRequests === 0 ? style.red(cell) : style.yellow(cell);
      return column === 3 ? cell : style.dim(cell);
    },
    { keep: [0, 1, 2, 5], spare: [4, 6] },
  );
}

/** The folder that the user knows: of a worktree, the repository that it was made from. */
function projectOf({ cwd, workspace }: Session): string {
  return workspace.kind === 'worktree' ? workspace.repository : cwd;
}

/** As much of each id as tells them apart, where a person reads; all of it elsewhere. */
function shortSessionIds(sessions: readonly Session[]): string[] {
  const ids = sessions.map(({ id }) => id);
  return process.stdout.isTTY ? shortIds(ids) : ids;
}

export function titleOf({ title, summary }: Pick<Session, 'title' | 'summary'>): string {
  return toOneLine(title ?? summary ?? '(nothing said yet)', 300);
}

function waitsFor(session: Session, waits: ReadonlyMap<string, string>, now: number): string {
  const asked = waits.get(session.id);
  if (asked !== undefined) return session.openRequests > 1 ? `${asked} (+${session.openRequests - 1})` : asked;
  if (session.limit) {
    const { resetsAt, message, continuesAt } = session.limit;
    if (continuesAt !== null) return continuesAt > now ? `goes on in ${age(now, continuesAt + 30_000)}` : 'goes on now';
    // A moment more, so that what has just been told as two hours is not one.
    return resetsAt !== null && resetsAt > now ? `lifted in ${age(now, resetsAt + 30_000)}` : toOneLine(message, 200);
  }
  if (session.waitsFor) return toOneLine(session.waitsFor.message, 200);
  if (session.error) return toOneLine(session.error.message, 200);
  if (session.queuedMessages > 0) return `${session.queuedMessages} queued`;
  return '';
}

/** What the first open request of each session asks for. */
export function firstRequests(
  requests: readonly Request[],
  titleOfRequest: (request: Request) => string,
): Map<string, string> {
  const waits = new Map<string, string>();
  for (const request of requests) {
    if (!waits.has(request.sessionId)) waits.set(request.sessionId, titleOfRequest(request));
  }
  return waits;
}
