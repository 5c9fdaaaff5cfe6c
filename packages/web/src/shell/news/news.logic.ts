import type { Session } from '@agent-mux/api/browser';
import type { InboxEntry } from '../../data/inbox.logic.ts';
import { eventOf, headlineOf } from '../../data/request.logic.ts';
import { stateOf } from '../../data/session-state.logic.ts';
import { titleOf } from '../../parts/words.logic.ts';

export const NEWS_KINDS = ['request', 'failure', 'limit', 'done'] as const;
export type NewsKind = (typeof NEWS_KINDS)[number];

/** Something that a person may want to hear of, once. */
export interface News {
  /** What happened, so that the same is known again: a request, the end of a turn, a limit. */
  key: string;
  kind: NewsKind;
  path: string;
  /** Who, and about what. */
  title: string;
  /** What is asked, or what went wrong: as the inbox has it, in a line. */
  text: string;
  /** The same without a word of what it is about: `Claude asks to run a command`. */
  spoken: string;
}

/** What was seen so far. Null: nothing yet. */
export interface NewsMemory {
  known: ReadonlySet<string>;
  /** Of that, what still stands. */
  standing: ReadonlySet<string>;
  /** Since when sessions are at work, by the daemon's clock. */
  workingSince: ReadonlyMap<string, number>;
}

/** The end of a shorter turn is no news: whoever began it is still there. */
export const LONG_TURN_MS = 30_000;
const LONGEST_LINE = 160;

interface Seen {
  inbox: readonly InboxEntry[];
  sessions: ReadonlyMap<string, Session>;
}

/**
 * What is new, and what has passed, since the last look. What was there at the first look is no news, and nothing is news twice:
 * not after a reconnect, and not where it went and came back.
 */
export function takeNews(
  memory: NewsMemory | null,
  { inbox, sessions }: Seen,
): { memory: NewsMemory; fresh: News[]; gone: string[]; stands(key: string): boolean } {
  const hasToldDone = [...(memory?.standing ?? [])].some((key) => key.startsWith('done:'));
  const now = new Map(inbox.map((entry) => [keyOf(entry), () => newsOf(entry)]));
  const workingSince = new Map<string, number>();
  for (const session of sessions.values()) {
    const since = memory?.workingSince.get(session.id);
    const state = stateOf(session);
    if (state === 'working') workingSince.set(session.id, since ?? session.activitySince);
    // A turn that asks is not over.
    else if (state === 'waiting' && since !== undefined) workingSince.set(session.id, since);
    // Of a thousand that rest nothing is to be told.
    if (since === undefined && !hasToldDone) continue;
    const key = doneKeyOf(session);
    if (key === null) continue;
    const wasLong = since !== undefined && session.activitySince - since >= LONG_TURN_MS;
    if (wasLong || memory?.standing.has(key)) now.set(key, () => tellDone(key, session));
  }
  const isNew = (key: string) => !memory?.known.has(key);
  const known =
    memory && ![...now.keys()].some(isNew) ? memory.known : new Set([...(memory?.known ?? []), ...now.keys()]);
  return {
    memory: { known, standing: new Set(now.keys()), workingSince },
    fresh: memory === null ? [] : [...now].flatMap(([key, make]) => (isNew(key) ? [make()] : [])),
    gone: [...(memory?.standing ?? [])].filter((key) => !now.has(key)),
    // Whether a turn was long is forgotten with the page that has seen it.
    stands: (key) => now.has(key) || [...sessions.values()].some((session) => doneKeyOf(session) === key),
  };
}

/** Null: it is not done. */
function doneKeyOf(session: Session): string | null {
  const { id, launch, turns, isTerminated } = session;
  return stateOf(session) === 'done' && !isTerminated ? `done:${id}:${launch}:${turns}` : null;
}

/** For whoever cannot see it: `Claude asks to run a command; 2 wait for you`. Empty: nothing new waits. */
export function announce(fresh: readonly News[], waiting: number): string {
  const [first, ...more] = fresh.filter(({ kind }) => kind !== 'done');
  if (!first) return '';
  const others = more.length === 0 ? '' : `, and ${more.length} more`;
  return `${first.spoken}${others}; ${waiting === 1 ? '1 waits' : `${waiting} wait`} for you`;
}

/** Not by when it was shown: a session that is parked after it has failed has not failed again. */
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

function newsOf(entry: InboxEntry): News {
  const key = keyOf(entry);
  const { kind } = entry;
  if (kind === 'request') {
    const { request, session } = entry;
    const event = eventOf(request);
    const asks = event?.type === 'input_required' ? 'has a question' : (ASKS[event?.kind ?? ''] ?? 'asks for leave');
    return {
      ...{ key, kind, path: `/sessions/${request.sessionId}` },
      title: nameOf(session ?? { agent: request.agent, title: null, cwd: '' }),
      text: toLine(`Asks: ${headlineOf(event)}`),
      spoken: `${capital(request.agent)} ${asks}`,
    };
  }
  const { session } = entry;
  const says = kind === 'failure' ? 'has failed' : 'has met a limit';
  const why = kind === 'failure' ? session.error?.message : session.limit?.message;
  const text = `${capital(says)}${why ? `: ${why}` : ''}`;
  return { ...aboutSession(key, kind, session), text: toLine(text), spoken: `${capital(session.agent)} ${says}` };
}

function tellDone(key: string, session: Session): News {
  return { ...aboutSession(key, 'done', session), text: 'Is done', spoken: `${capital(session.agent)} is done` };
}

function aboutSession(key: string, kind: NewsKind, session: Session) {
  return { key, kind, path: `/sessions/${session.id}`, title: nameOf(session) };
}

function nameOf(session: Pick<Session, 'agent' | 'title' | 'cwd'>): string {
  const agent = capital(session.agent);
  return session.title === null && session.cwd === '' ? agent : toLine(`${agent}: ${titleOf(session)}`);
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function toLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE - 1)}…` : line;
}
