import type { Change, Message, Request, Session } from '@agent-mux/api/browser';
import { useSyncExternalStore } from 'react';
import { CallError, call } from './call.ts';
import { applyChanges, loadRows, NO_ROWS, type Rows } from './changes.logic.ts';
import { followStream } from './stream.ts';

/** `waiting`: no response yet. `signed-out`: no access until a login link is opened. */
export type Connection = 'waiting' | 'open' | 'broken' | 'signed-out';

interface Snapshot {
  rows: Rows;
  connection: Connection;
}

const PAGE = 500;
/** A browser allows six connections per host across all tabs, so a hidden tab polls instead of streaming. */
const HIDDEN_AFTER_MS = 60_000;
const HIDDEN_POLL_MS = 10_000;

let snapshot: Snapshot = { rows: NO_ROWS, connection: 'waiting' };
const listeners = new Set<() => void>();

function update(change: Partial<Snapshot>): void {
  snapshot = { ...snapshot, ...change };
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Selects a part of the rows. `select` must return the same object while that part is unchanged. */
export function useRows<Part>(select: (rows: Rows) => Part): Part {
  return useSyncExternalStore(subscribe, () => select(snapshot.rows));
}

export function useConnection(): Connection {
  return useSyncExternalStore(subscribe, () => snapshot.connection);
}

/** Calls the listener when the daemon is reachable again. */
export function onReconnect(listener: () => void): void {
  let before = snapshot.connection;
  subscribe(() => {
    const { connection } = snapshot;
    if (before === 'broken' && connection === 'open') listener();
    before = connection;
  });
}

export function currentRows(): Rows {
  return snapshot.rows;
}

/** Shows the result of an action at once; the stream sends the same later. */
export function applySession(session: Session): void {
  const change: Change = { kind: 'session', id: session.id, rev: session.rev, value: session };
  update({ rows: { ...applyChanges(snapshot.rows, [change]), rev: snapshot.rows.rev } });
}

export function applyRequest(request: Request): void {
  const change: Change = { kind: 'request', id: request.id, rev: request.rev, value: request };
  update({ rows: { ...applyChanges(snapshot.rows, [change]), rev: snapshot.rows.rev } });
}

export function applyMessages(sessionId: string, messages: readonly Message[]): void {
  const changes = messages.map(
    (value): Change => ({ kind: 'message', id: value.id, sessionId, rev: value.rev, value }),
  );
  update({ rows: { ...applyChanges(snapshot.rows, changes), rev: snapshot.rows.rev } });
}

/** Loads all rows and follows their changes until the signal aborts. */
export async function syncRows(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      if (!snapshot.rows.isComplete) await load(signal);
      await follow(signal);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof CallError && error.code === 'UNAUTHORIZED') update({ connection: 'signed-out' });
      else update({ connection: 'broken' });
    }
    await sleep(snapshot.connection === 'signed-out' ? 5_000 : 1_000);
  }
}

async function load(signal: AbortSignal): Promise<void> {
  const first = await call('listSessions', { query: { limit: PAGE } }, signal);
  // Every later change has a higher revision than any row of the first page.
  const rev = Math.max(0, ...first.sessions.map((session) => session.rev));
  const requests: Request[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await call(
      'listRequests',
      { query: { state: 'open', limit: PAGE, ...(cursor ? { cursor } : {}) } },
      signal,
    );
    requests.push(...page.requests);
    cursor = page.nextCursor;
  }
  update({ rows: loadRows(snapshot.rows, { sessions: first.sessions, requests, rev }), connection: 'open' });
  for (let { nextCursor } = first; nextCursor !== null; ) {
    const page = await call('listSessions', { query: { limit: PAGE, cursor: nextCursor } }, signal);
    update({ rows: loadRows(snapshot.rows, { sessions: page.sessions, requests: [], rev }) });
    nextCursor = page.nextCursor;
  }
  update({ rows: { ...snapshot.rows, isComplete: true } });
}

async function follow(signal: AbortSignal): Promise<void> {
  const turn = new AbortController();
  const end = () => turn.abort();
  signal.addEventListener('abort', end, { once: true });
  let timer: ReturnType<typeof setTimeout> | undefined;
  const watch = () => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(end, HIDDEN_AFTER_MS);
  };
  document.addEventListener('visibilitychange', watch);
  watch();
  let refusal: CallError | undefined;
  try {
    await followStream<Change>({
      op: 'listChanges',
      after: snapshot.rows.rev,
      signal: turn.signal,
      onBatch: (changes) => update({ rows: applyChanges(snapshot.rows, changes), connection: 'open' }),
      onState(state, error) {
        if (state === 'open') update({ connection: 'open' });
        else if (state === 'broken') update({ connection: 'broken' });
        else refusal = error;
      },
    });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
    document.removeEventListener('visibilitychange', watch);
  }
  if (refusal) throw refusal;
  while (document.hidden && !signal.aborted) {
    const { changes, hasMore } = await call(
      'listChanges',
      { query: { after: snapshot.rows.rev, limit: PAGE } },
      signal,
    );
    update({ rows: applyChanges(snapshot.rows, changes), connection: 'open' });
    if (!hasMore) await sleep(HIDDEN_POLL_MS);
  }
}

/** Resolves after the given time, or earlier when the tab becomes visible or hidden. */
function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    document.addEventListener('visibilitychange', done);
  });
}
