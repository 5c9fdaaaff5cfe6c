import { useMemo, useSyncExternalStore } from 'react';
import type { Rows } from './changes.logic.ts';
import { type InboxEntry, inboxOf } from './inbox.logic.ts';
import { useRows } from './rows.ts';

/** What was put off comes back without anything having changed. */
const AGAIN_MS = 15_000;

const listeners = new Set<() => void>();
let minute = Date.now();

setInterval(() => {
  minute = Date.now();
  for (const listener of listeners) listener();
}, AGAIN_MS);

const sessionsOf = (rows: Rows) => rows.sessions;
const requestsOf = (rows: Rows) => rows.requests;

export function useInbox(): readonly InboxEntry[] {
  const sessions = useRows(sessionsOf);
  const requests = useRows(requestsOf);
  const now = useSyncExternalStore(subscribe, () => minute);
  return useMemo(() => inboxOf({ sessions, requests }, now), [sessions, requests, now]);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
