import type { Change, Message, Request, Session } from '@agent-mux/api/browser';
import { useSyncExternalStore } from 'react';
import { CallError, call } from './call.ts';
import { applyChanges, loadRows, NO_ROWS, type Rows } from './changes.logic.ts';
import { followStream } from './stream.ts';

/** `waiting`: for the first answer. `signed-out`: nobody may look until a login link was opened. */
export type Connection = 'waiting' | 'open' | 'broken' | 'signed-out';

interface Snapshot {
  rows: Rows;
  connection: Connection;
}

const PAGE = 500;
/** A browser has six connections to a place, for all its tabs: one that nobody looks at asks now and then in place of listening. */
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

/** A part of all rows; it must be the same object while nothing of it has changed. */
export function useRows<Part>(select: (rows: Rows) => Part): Part {
  return useSyncExternalStore(subscribe, () => select(snapshot.rows));
}

export function useConnection(): Connection {
  return useSyncExternalStore(subscribe, () => snapshot.connection);
}

/** Calls when the daemon answers again after it could not be reached. */
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

/** What an order has answered is shown at once; the stream will tell the same. */
export function takeSession(session: Session): void {
  const change: Change = { kind: 'session', id: session.id, rev: session.rev, value: session };
  update({ rows: { ...applyChanges(snapshot.rows, [change]), rev: snapshot.rows.rev } });
}

export function takeRequest(request: Request): void {
  const change: Change = { kind: 'request', id: request.id, rev: request.rev, value: request };
  update({ rows: { ...applyChanges(snapshot.rows, [change]), rev: snapshot.rows.rev } });
}

export function takeMessages(sessionId: string, messages: readonly Message[]): void {
  const changes = messages.map(
    (value): Change => ({ kind: 'message', id: value.id, sessionId, rev: value.rev, value }),
  );
  update({ rows: { ...applyChanges(snapshot.rows, changes), rev: snapshot.rows.rev } });
}

/** Loads what is there and follows what changes, for as long as the page lives. */
export async function keepRows(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      if (!snapshot.rows.isComplete) await load(signal);
      await follow(signal);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof CallError && error.code === 'UNAUTHORIZED') update({ connection: 'signed-out' });
      else update({ connection: 'broken' });
    }
    await settled(snapshot.connection === 'signed-out' ? 5_000 : 1_000);
  }
}

async function load(signal: AbortSignal): Promise<void> {
  const first = await call('listSessions', { query: { limit: PAGE } }, signal);
  // Whatever changes from now on has a higher revision than all that is in the first page.
  const rev = Math.max(0, ...first.sessions.map((session) => session.rev));
  const requests: Request[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await call(
      'listRequests',
      { query: { state: 'open', limit: PAGE, ...(cursor ? { cursor } : {}) } },
      signal,
    );
    requests.push(...page.requests);
    cursor = page.cursor;
  }
  update({ rows: loadRows(snapshot.rows, { sessions: first.sessions, requests, rev }), connection: 'open' });
  for (let { cursor } = first; cursor !== null; ) {
    const page = await call('listSessions', { query: { limit: PAGE, cursor } }, signal);
    update({ rows: loadRows(snapshot.rows, { sessions: page.sessions, requests: [], rev }) });
    cursor = page.cursor;
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
      op: 'readChanges',
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
    const { changes, more } = await call('readChanges', { query: { after: snapshot.rows.rev, limit: PAGE } }, signal);
    update({ rows: applyChanges(snapshot.rows, changes), connection: 'open' });
    if (!more) await settled(HIDDEN_POLL_MS);
  }
}

/** Until the time is over or the page is looked at again. */
function settled(ms: number): Promise<void> {
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
