import type { ForkItem, Item } from './items.ts';

/** What a fork has of one of the sessions before it; the nearest last. Null: that session was removed. */
export interface Ancestor {
  id: string;
  items: readonly Item[] | null;
}

/** The items of all sessions that a fork was copied from, and between them what they are. */
export function inheritedItems(ancestors: readonly Ancestor[], forkedAt: number | null): Item[] {
  return ancestors.flatMap(({ id, items }): Item[] => {
    const mark = (position: ForkItem['position']): ForkItem => ({
      ...{ kind: 'fork', key: `${id}:${position}`, seq: -1, time: forkedAt ?? 0, parentId: id, position },
    });
    if (items === null) return [mark('removed')];
    return [mark('start'), ...items.map((item) => freeze(item, id)), mark('end')];
  });
}

/** As it was then: nothing of it grows or waits for an answer here. */
function freeze(item: Item, from: string): Item {
  const own = { key: `${from}:${item.key}`, from };
  switch (item.kind) {
    case 'text':
      return { ...item, ...own, isOpen: false };
    case 'thinking':
      return { ...item, ...own, isOpen: false, endedAt: item.endedAt ?? item.time };
    case 'tool':
      return {
        ...item,
        ...own,
        status: item.status === 'running' ? 'unfinished' : item.status,
        asked: item.asked?.outcome === null ? null : item.asked,
        children: item.children.map((child) => freeze(child, from)),
      };
    case 'request':
      return { ...item, ...own, asked: { ...item.asked, outcome: item.asked.outcome ?? 'cancelled' } };
    default:
      return { ...item, ...own };
  }
}
