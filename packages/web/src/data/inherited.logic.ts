import type { ForkItem, Item } from './items.ts';

/** The part of a fork's conversation that comes from one ancestor. `items` is null if that session was removed. */
export interface Ancestor {
  id: string;
  items: readonly Item[] | null;
}

/** The items of all ancestors of a fork (the parent last), with marks where each starts and ends. */
export function inheritedItems(ancestors: readonly Ancestor[], forkedAt: number | null): Item[] {
  return ancestors.flatMap(({ id, items }): Item[] => {
    const mark = (position: ForkItem['position']): ForkItem => ({
      ...{ kind: 'fork', key: `${id}:${position}`, seq: -1, time: forkedAt ?? 0, parentId: id, position },
    });
    if (items === null) return [mark('removed')];
    return [mark('start'), ...items.map((item) => freeze(item, id)), mark('end')];
  });
}

/** Copies an item as it was at the fork: nothing in it is still running or unanswered. */
function freeze(item: Item, from: string): Item {
  const origin = { key: `${from}:${item.key}`, from };
  switch (item.kind) {
    case 'text':
      return { ...item, ...origin, isOpen: false };
    case 'thinking':
      return { ...item, ...origin, isOpen: false, endedAt: item.endedAt ?? item.time };
    case 'tool':
      return {
        ...item,
        ...origin,
        status: item.status === 'running' ? 'unfinished' : item.status,
        request: item.request?.outcome === null ? null : item.request,
        children: item.children.map((child) => freeze(child, from)),
      };
    case 'request':
      return { ...item, ...origin, request: { ...item.request, outcome: item.request.outcome ?? 'cancelled' } };
    default:
      return { ...item, ...origin };
  }
}
