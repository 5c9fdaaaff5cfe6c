import type { SessionEvent } from '@agent-mux/api/browser';
import { useEffect, useSyncExternalStore } from 'react';
import { CallError, call } from './call.ts';
import { takeMessages } from './rows.ts';
import { type Conversation, EMPTY_CONVERSATION, takeEvents } from './session.logic.ts';
import { followStream } from './stream.ts';

/** What was told before is read in pages of so many events; then the stream goes on. */
const PAGE = 5_000;
/** Sessions that were looked at lately are there at once. */
const MOST_KEPT = 4;
/** See rows.ts: connections are few. */
const HIDDEN_AFTER_MS = 30_000;

export interface Followed {
  conversation: Conversation;
  /** All that was told before has come. */
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

/** The conversation of a session, replayed and then live, for as long as somebody looks. */
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
  const made = { ...NOTHING, shown: NOTHING, listeners: new Set<() => void>(), followers: 0, stop: undefined };
  feeds.set(id, made);
  const idle = [...feeds].filter(([, { followers }]) => followers === 0).map(([name]) => name);
  for (const name of idle.slice(0, Math.max(0, feeds.size - MOST_KEPT))) if (name !== id) feeds.delete(name);
  return made;
}

function follow(id: string): () => void {
  const feed = feedOf(id);
  feed.followers += 1;
  if (feed.followers === 1) feed.stop = keepFollowing(id);
  return () => {
    feed.followers -= 1;
    if (feed.followers === 0) feed.stop?.();
  };
}

function keepFollowing(id: string): () => void {
  let turn: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const begin = () => {
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
    else if (!turn) begin();
  };
  document.addEventListener('visibilitychange', watch);
  begin();
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
  const take = (events: readonly SessionEvent[]) => show({ conversation: takeEvents(feed.shown.conversation, events) });
  let areMessagesLoaded = false;
  const loadMessages = async () => {
    takeMessages(id, (await call('listMessages', { params: { id } }, signal)).messages);
    areMessagesLoaded = true;
  };
  try {
    await loadMessages();
    for (let more = !feed.shown.isLoaded; more; ) {
      const { lastSeq } = feed.shown.conversation;
      const page = await call('readEvents', { params: { id }, query: { after: lastSeq, limit: PAGE } }, signal);
      // The schema names what all events have; the daemon stores events of exactly these types.
      take(page.events as unknown as SessionEvent[]);
      more = page.more;
    }
    show({ isLoaded: true, error: null });
  } catch (error) {
    if (signal.aborted) return;
    const isPassing = !(error instanceof CallError) || error.code === 'UNREACHABLE';
    if (!isPassing) {
      show({ error });
      return;
    }
  }
  await followStream<SessionEvent>({
    op: 'readEvents',
    params: { id },
    after: feed.shown.conversation.lastSeq,
    signal,
    onBatch: take,
    onState: (state, error) => {
      if (state === 'open') {
        show({ isLoaded: true, error: null });
        // The daemon was down when the page was opened. Where it fails again, the stream breaks, too, and is opened again.
        if (!areMessagesLoaded) loadMessages().catch(() => undefined);
      } else if (state === 'refused') show({ error: error ?? null });
    },
  });
}
