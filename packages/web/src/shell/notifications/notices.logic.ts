import type { Session } from '@agent-mux/api/browser';
import { titleOf } from '../../components/labels.logic.ts';
import type { InboxEntry } from '../../data/inbox.logic.ts';
import { eventOf, headlineOf } from '../../data/request.logic.ts';
import { stateOf } from '../../data/session-state.logic.ts';

export const NOTICE_KINDS = ['request', 'failure', 'limit', 'done'] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

/** An event that the user is notified about once. */
export interface Notice {
  /** Identifies the event: a request, the end of a turn, a limit. */
  key: string;
  kind: NoticeKind;
  path: string;
  /** Agent and session. */
  title: string;
  /** The request or error as in the inbox, in one line. */
  text: string;
  /** A short form without details: `Claude asks to run a command`. */
  spoken: string;
}

/** Notices seen so far. */
export interface NoticeState {
  known: ReadonlySet<string>;
  /** Those that still apply. */
  current: ReadonlySet<string>;
  /** Since when each session has been working, in daemon time. */
  workingSince: ReadonlyMap<string, number>;
}

/** Shorter turns give no notice: the user is probably still at the page. */
export const LONG_TURN_MS = 30_000;
const MAX_LINE = 160;

interface Snapshot {
  inbox: readonly InboxEntry[];
  sessions: ReadonlyMap<string, Session>;
}

/**
 * New and withdrawn notices since the last call. Nothing is new on the first call, and no notice is ever repeated:
 * neither after a reconnect nor when an entry disappears and returns.
 */
export function collectNotices(
  state: NoticeState | null,
  { inbox, sessions }: Snapshot,
): { state: NoticeState; fresh: Notice[]; gone: string[]; isCurrent(key: string): boolean } {
  const hasDoneNotice = [...(state?.current ?? [])].some((key) => key.startsWith('done:'));
  const now = new Map(inbox.map((entry) => [keyOf(entry), () => noticeOf(entry)]));
  const workingSince = new Map<string, number>();
  for (const session of sessions.values()) {
    const since = state?.workingSince.get(session.id);
    const sessionState = stateOf(session);
    if (sessionState === 'working') workingSince.set(session.id, since ?? session.activitySince);
    // A turn that needs input is not over.
    else if (sessionState === 'waiting' && since !== undefined) workingSince.set(session.id, since);
    // Skip idle sessions quickly; there may be thousands.
    if (since === undefined && !hasDoneNotice) continue;
    const key = doneKeyOf(session);
    if (key === null) continue;
    const wasLong = since !== undefined && session.activitySince - since >= LONG_TURN_MS;
    if (wasLong || state?.current.has(key)) now.set(key, () => doneNotice(key, session));
  }
  const isNew = (key: string) => !state?.known.has(key);
  const known = state && ![...now.keys()].some(isNew) ? state.known : new Set([...(state?.known ?? []), ...now.keys()]);
  return {
    state: { known, current: new Set(now.keys()), workingSince },
    fresh: state === null ? [] : [...now].flatMap(([key, create]) => (isNew(key) ? [create()] : [])),
    gone: [...(state?.current ?? [])].filter((key) => !now.has(key)),
    // A new page does not know how long a finished turn took, so any finished turn counts.
    isCurrent: (key) => now.has(key) || [...sessions.values()].some((session) => doneKeyOf(session) === key),
  };
}

/** Null if the session is not done. */
function doneKeyOf(session: Session): string | null {
  const { id, launch, turns, isTerminated } = session;
  return stateOf(session) === 'done' && !isTerminated ? `done:${id}:${launch}:${turns}` : null;
}

/** Sentence for screen readers: `Claude asks to run a command; 2 need you`. Empty if there is nothing new. */
export function announce(fresh: readonly Notice[], waiting: number): string {
  const [first, ...more] = fresh.filter(({ kind }) => kind !== 'done');
  if (!first) return '';
  const others = more.length === 0 ? '' : `, and ${more.length} more`;
  return `${first.spoken}${others}; ${waiting === 1 ? '1 needs' : `${waiting} need`} you`;
}

/** Independent of time: a session that is parked after a failure has not failed again. */
function keyOf(entry: InboxEntry): string {
  if (entry.kind === 'request') return `request:${entry.key}`;
  const { id, launch, turns, error, limit } = entry.session;
  return entry.kind === 'failure'
    ? `failure:${id}:${launch}:${turns}:${error?.code ?? ''}`
    : `limit:${id}:${limit?.id ?? `${launch}:${turns}`}`;
}

const ASKS: Readonly<Record<string, string>> = {
  execute: 'asks to run a command',
  edit: 'asks to change a file',
  delete: 'asks to delete a file',
  move: 'asks to move a file',
  read: 'asks to read a file',
  fetch: 'asks to use the network',
};

function noticeOf(entry: InboxEntry): Notice {
  const key = keyOf(entry);
  const { kind } = entry;
  if (kind === 'request') {
    const { request, session } = entry;
    const event = eventOf(request);
    const asks = event?.type === 'input_required' ? 'has a question' : (ASKS[event?.kind ?? ''] ?? 'requests approval');
    return {
      ...{ key, kind, path: `/sessions/${request.sessionId}` },
      title: nameOf(session ?? { agent: request.agent, title: null, cwd: '' }),
      text: toLine(`Asks: ${headlineOf(event)}`),
      spoken: `${capitalize(request.agent)} ${asks}`,
    };
  }
  const { session } = entry;
  const verb = kind === 'failure' ? 'failed' : 'hit a limit';
  const reason = kind === 'failure' ? session.error?.message : session.limit?.message;
  const text = `${capitalize(verb)}${reason ? `: ${reason}` : ''}`;
  return { ...sessionNotice(key, kind, session), text: toLine(text), spoken: `${capitalize(session.agent)} ${verb}` };
}

function doneNotice(key: string, session: Session): Notice {
  return { ...sessionNotice(key, 'done', session), text: 'Done', spoken: `${capitalize(session.agent)} is done` };
}

function sessionNotice(key: string, kind: NoticeKind, session: Session) {
  return { key, kind, path: `/sessions/${session.id}`, title: nameOf(session) };
}

function nameOf(session: Pick<Session, 'agent' | 'title' | 'cwd'>): string {
  const agent = capitalize(session.agent);
  return session.title === null && session.cwd === '' ? agent : toLine(`${agent}: ${titleOf(session)}`);
}

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function toLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > MAX_LINE ? `${line.slice(0, MAX_LINE - 1)}…` : line;
}
