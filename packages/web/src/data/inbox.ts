import { useMemo, useSyncExternalStore } from 'react';
import type { Rows } from './changes.logic.ts';
import { type InboxEntry, inboxOf } from './inbox.logic.ts';
import { useRows } from './rows.ts';

/** Snoozed requests return when their time comes, without any change event. */
const REFRESH_MS = 15_000;

const listeners = new Set<() => void>();
let currentTime = Date.now();

setInterval(() => {
  currentTime = Date.now();
  for (const listener of listeners) listener();
}, REFRESH_MS);

const sessionsOf = (rows: Rows) => rows.sessions;
const requestsOf = (rows: Rows) => rows.requests;

export function useInbox(): readonly InboxEntry[] {
  const sessions = useRows(sessionsOf);
  const requests = useRows(requestsOf);
  const now = useSyncExternalStore(subscribe, () => currentTime);
  return useMemo(() => inboxOf({ sessions, requests }, now), [sessions, requests, now]);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
