import { useMemo, useState } from 'react';
import type { Item } from '../../../data/items.ts';
import { findItems, findWanted, stepFound, type Wanted } from './find.logic.ts';

export interface Finding {
  isOpen: boolean;
  query: string;
  /** Indexes of matching items; only some of them are rendered. */
  found: readonly number[];
  /** Index of the current match. */
  at: number | null;
  /** How often the bar was opened; each time the field takes the focus again. */
  openCount: number;
  open(): void;
  close(): void;
  write(query: string): void;
  step(by: 1 | -1): void;
}

/** Searches a whole conversation, including items that are not rendered. */
export function useFind(items: readonly Item[], wanted?: Wanted): Finding {
  const [start] = useState(() => (wanted ? findWanted(items, wanted) : null));
  const [query, setQuery] = useState(start?.text ?? '');
  const [openCount, setOpenCount] = useState(0);
  const [isOpen, setOpen] = useState(start !== null);
  const [at, setAt] = useState<number | null>(start?.at ?? null);
  const found = useMemo(() => (isOpen ? findItems(items, query) : []), [items, query, isOpen]);
  return {
    isOpen,
    query: isOpen ? query : '',
    found,
    at: at !== null && found.includes(at) ? at : null,
    openCount,
    open() {
      setOpen(true);
      setOpenCount(openCount + 1);
    },
    close() {
      setOpen(false);
      setAt(null);
    },
    write(next) {
      setQuery(next);
      // Start at the last match, which is nearest to the reading position.
      setAt(stepFound(findItems(items, next), null, -1));
    },
    step: (by) => setAt(stepFound(found, at, by)),
  };
}
