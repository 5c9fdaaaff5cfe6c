import type { Request, Session } from '@agent-mux/api';
import { addHead } from '../output.ts';
import { paint } from '../screen/paint.ts';
import { toOneLine } from '../screen/plain.ts';
import { formatAge, formatMoney, shortIds } from '../sessions/format.ts';
import { formatState, needsAttention, paintState, shortFolder } from './format.ts';

const FOLDER_WIDTH = 28;
const STATE = 2;

/** Sorts sessions that need input first, then pinned ones, then the newest. */
export function sortSessions(sessions: readonly Session[]): Session[] {
  const rank = (session: Session) => (needsAttention(session) ? 0 : session.isTerminated ? 3 : session.pinned ? 1 : 2);
  return [...sessions].sort((a, b) => rank(a) - rank(b) || b.lastActiveAt - a.lastActiveAt);
}

/** `requests`: summary of the first open request of each session, by session id. */
export function sessionTable(
  sessions: readonly Session[],
  { now, home, waits }: { now: number; home: string | undefined; waits: ReadonlyMap<string, string> },
): string {
  const style = paint(process.stdout);
  const ids = shortSessionIds(sessions);
  const head = ['ID', 'AGENT', 'STATE', 'TITLE', 'FOLDER', 'AGE', 'COST', 'WAITING FOR'];
  const rows = sessions.map((session, at) => [
    ids[at] ?? session.id,
    session.agent,
    formatState(session),
    titleOf(session),
    shortFolder(projectOf(session), home, FOLDER_WIDTH),
    formatAge(session.lastActiveAt, now),
    session.costUsd === null ? '' : formatMoney(session.costUsd, session.costSource === 'estimated'),
    waitingFor(session, waits, now),
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

/** The user's folder: for a worktree, the repository it belongs to. */
function projectOf({ cwd, workspace }: Session): string {
  return workspace.kind === 'worktree' ? workspace.repository : cwd;
}

/** Shortens ids to unique prefixes on a terminal; full ids otherwise. */
function shortSessionIds(sessions: readonly Session[]): string[] {
  const ids = sessions.map(({ id }) => id);
  return process.stdout.isTTY ? shortIds(ids) : ids;
}

export function titleOf({ title, summary }: Pick<Session, 'title' | 'summary'>): string {
  return toOneLine(title ?? summary ?? '(no messages yet)', 300);
}

function waitingFor(session: Session, waits: ReadonlyMap<string, string>, now: number): string {
  const request = waits.get(session.id);
  if (request !== undefined) return session.openRequests > 1 ? `${request} (+${session.openRequests - 1})` : request;
  if (session.limit) {
    const { resetsAt, message, continuesAt } = session.limit;
    if (continuesAt !== null)
      return continuesAt > now ? `continues in ${formatAge(now, continuesAt + 30_000)}` : 'continues now';
    // Rounds up, so that two hours are not shown as one right after they were announced.
    return resetsAt !== null && resetsAt > now
      ? `resets in ${formatAge(now, resetsAt + 30_000)}`
      : toOneLine(message, 200);
  }
  if (session.waitingFor) return toOneLine(session.waitingFor.message, 200);
  if (session.error) return toOneLine(session.error.message, 200);
  if (session.queuedMessages > 0) return `${session.queuedMessages} queued`;
  return '';
}

/** Summary of the first open request of each session. */
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
