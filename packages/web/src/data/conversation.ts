import type { SessionEvent } from '@agent-mux/api/browser';
import { useEffect, useSyncExternalStore } from 'react';
import { CallError, call } from './call.ts';
import { applyMessages } from './rows.ts';
import { applyEvents, type Conversation, EMPTY_CONVERSATION } from './session.logic.ts';
import { followStream } from './stream.ts';

/** Page size for reading past events; the stream follows after them. */
const PAGE = 5_000;
/** Number of recently viewed conversations to keep in memory. */
const MAX_CACHED = 4;
/** Time in a hidden tab after which the stream is closed; see rows.ts. */
const HIDDEN_AFTER_MS = 30_000;

export interface Followed {
  conversation: Conversation;
  /** True once all past events have been loaded. */
  isLoaded: boolean;
  error: CallError | null;
}

interface Feed extends Followed {
  listeners: Set<() => void>;
  followers: number;
  stop: (() => void) | undefined;
}

const feeds = new Map<string, Feed & { shown: Followed }>();
const NOTHING: Followed = { conversation: EMPTY_CONVERSATION, isLoaded: false, error: null };

/** The conversation of a session, replayed and then live while a component uses it. */
export function useConversation(id: string): Followed {
  useEffect(() => follow(id), [id]);
  return useSyncExternalStore(
    (listener) => {
      const { listeners } = feedOf(id);
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => feeds.get(id)?.shown ?? NOTHING,
  );
}

function feedOf(id: string) {
  const known = feeds.get(id);
  if (known) return known;
  const feed = { ...NOTHING, shown: NOTHING, listeners: new Set<() => void>(), followers: 0, stop: undefined };
  feeds.set(id, feed);
  const idle = [...feeds].filter(([, { followers }]) => followers === 0).map(([name]) => name);
  for (const name of idle.slice(0, Math.max(0, feeds.size - MAX_CACHED))) if (name !== id) feeds.delete(name);
  return feed;
}

function follow(id: string): () => void {
  const feed = feedOf(id);
  feed.followers += 1;
  if (feed.followers === 1) feed.stop = followWhileVisible(id);
  return () => {
    feed.followers -= 1;
    if (feed.followers === 0) feed.stop?.();
  };
}

function followWhileVisible(id: string): () => void {
  let turn: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const start = () => {
    turn ??= new AbortController();
    void run(id, turn.signal);
  };
  const end = () => {
    turn?.abort();
    turn = undefined;
  };
  const watch = () => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(end, HIDDEN_AFTER_MS);
    else if (!turn) start();
  };
  document.addEventListener('visibilitychange', watch);
  start();
  return () => {
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', watch);
    end();
  };
}

async function run(id: string, signal: AbortSignal): Promise<void> {
  const feed = feedOf(id);
  const show = (change: Partial<Followed>) => {
    if (signal.aborted) return;
    feed.shown = { ...feed.shown, ...change };
    for (const listener of feed.listeners) listener();
  };
  const apply = (events: readonly SessionEvent[]) =>
    show({ conversation: applyEvents(feed.shown.conversation, events) });
  let areMessagesLoaded = false;
  const loadMessages = async () => {
    applyMessages(id, (await call('listMessages', { params: { id } }, signal)).messages);
    areMessagesLoaded = true;
  };
  try {
    await loadMessages();
    for (let more = !feed.shown.isLoaded; more; ) {
      const { lastSeq } = feed.shown.conversation;
      const page = await call('listEvents', { params: { id }, query: { after: lastSeq, limit: PAGE } }, signal);
      // The schema lists only the common fields; the daemon stores exactly these event types.
      apply(page.events as unknown as SessionEvent[]);
      more = page.hasMore;
    }
    show({ isLoaded: true, error: null });
  } catch (error) {
    if (signal.aborted) return;
    const isTransient = !(error instanceof CallError) || error.code === 'UNREACHABLE';
    if (!isTransient) {
      show({ error });
      return;
    }
  }
  await followStream<SessionEvent>({
    op: 'listEvents',
    params: { id },
    after: feed.shown.conversation.lastSeq,
    signal,
    onBatch: apply,
    onState: (state, error) => {
      if (state === 'open') {
        show({ isLoaded: true, error: null });
        // The daemon was down when the page opened. If this fails again, the stream breaks as well and is reopened.
        if (!areMessagesLoaded) loadMessages().catch(() => undefined);
      } else if (state === 'refused') show({ error: error ?? null });
    },
  });
}
