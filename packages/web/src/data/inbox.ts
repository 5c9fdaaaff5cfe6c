import { useMemo, useSyncExternalStore } from 'react';
import type { Rows } from './changes.logic.ts';
import { type InboxEntry, inboxOf } from './inbox.logic.ts';
import { keep, readKept } from './kept.ts';
import { useRows } from './rows.ts';

const KEY = 'agent-mux.dismissed';
const MOST = 500;
/** What was put off comes back without anything having changed. */
const AGAIN_MS = 15_000;

const listeners = new Set<() => void>();
let dismissed: ReadonlySet<string> = new Set(read());
let minute = Date.now();

/** Takes a failure or limit out of the inbox of this browser. */
export function dismiss(key: string): void {
  dismissed = new Set([...dismissed, key].slice(-MOST));
  keep(KEY, [...dismissed]);
  for (const listener of listeners) listener();
}

setInterval(() => {
  minute = Date.now();
  for (const listener of listeners) listener();
}, AGAIN_MS);

const sessionsOf = (rows: Rows) => rows.sessions;
const requestsOf = (rows: Rows) => rows.requests;

export function useInbox(): readonly InboxEntry[] {
  const sessions = useRows(sessionsOf);
  const requests = useRows(requestsOf);
  const away = useSyncExternalStore(subscribe, () => dismissed);
  const now = useSyncExternalStore(subscribe, () => minute);
  return useMemo(() => inboxOf({ sessions, requests }, now, away), [sessions, requests, now, away]);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function read(): string[] {
  const kept = readKept(KEY);
  return Array.isArray(kept) ? kept.filter((key) => typeof key === 'string') : [];
}
