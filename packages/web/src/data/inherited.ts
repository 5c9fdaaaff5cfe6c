import type { Session, SessionEvent } from '@agent-mux/api/browser';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { call } from './call.ts';
import { type Ancestor, inheritedItems } from './inherited.logic.ts';
import type { Item } from './items.ts';
import { currentRows, useRows } from './rows.ts';
import { applyEvents, EMPTY_CONVERSATION } from './session.logic.ts';

const PAGE = 5_000;
/** Forks may be nested; older ancestors are not shown. */
const MAX_ANCESTORS = 20;
const NOTHING: readonly Item[] = [];

/**
 * The conversation that a fork inherits from its parent and further ancestors. `startedAt`: when the fork's own
 * conversation started; until then the agent has copied nothing and the parent may still grow. `isLoaded`: the fork's
 * own events have been read, so a null `startedAt` means that there are none.
 */
export function useInherited(
  session: Session | undefined,
  startedAt: number | null,
  isLoaded: boolean,
): { items: readonly Item[]; isLoaded: boolean } {
  const parentId = session?.forkedFrom ?? null;
  const areRowsComplete = useRows((rows) => rows.isComplete);
  const parentSeq = useRows((rows) => (parentId === null ? -1 : rows.sessions.get(parentId)?.lastSeq));
  const inherited = useQuery({
    queryKey: ['inherited', session?.id, startedAt, startedAt === null ? parentSeq : null],
    queryFn: ({ signal }) => readAncestors(parentId, startedAt ?? Number.POSITIVE_INFINITY, signal),
    // Once all rows are loaded, a missing parent was removed.
    enabled: parentId !== null && areRowsComplete && (startedAt !== null || isLoaded),
    placeholderData: (before) => before,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const items = useMemo(
    () => (inherited.data ? inheritedItems(inherited.data, startedAt) : NOTHING),
    [inherited.data, startedAt],
  );
  return { items, isLoaded: parentId === null || inherited.data !== undefined || inherited.isError };
}

async function readAncestors(first: string | null, until: number, signal: AbortSignal): Promise<Ancestor[]> {
  const found: Ancestor[] = [];
  let [id, end] = [first, until];
  while (id !== null && found.length < MAX_ANCESTORS) {
    const parent = currentRows().sessions.get(id);
    if (!parent) return [{ id, items: null }, ...found];
    const { items, startedAt } = await readUntil(id, end, signal);
    found.unshift({ id, items });
    [id, end] = [parent.forkedFrom, startedAt ?? end];
  }
  return found;
}

async function readUntil(
  id: string,
  end: number,
  signal: AbortSignal,
): Promise<{ items: readonly Item[]; startedAt: number | null }> {
  let conversation = EMPTY_CONVERSATION;
  let startedAt: number | null = null;
  for (let [after, isMore] = [-1, true]; isMore; ) {
    const page = await call('listEvents', { params: { id }, query: { after, limit: PAGE } }, signal);
    // The schema lists only the common fields; the daemon stores exactly these event types.
    const events = page.events as unknown as SessionEvent[];
    startedAt ??= events[0]?.timestamp ?? null;
    const before = events.filter(({ timestamp }) => timestamp < end);
    conversation = applyEvents(conversation, before);
    [after, isMore] = [page.lastSeq, page.hasMore && before.length === events.length];
  }
  return { items: conversation.items, startedAt };
}
