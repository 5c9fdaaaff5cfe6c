import { useMemo, useState } from 'react';
import type { Item } from '../../../data/items.ts';
import { findItems, findWanted, stepFound, type Wanted } from './find.logic.ts';

export interface Finding {
  isOpen: boolean;
  words: string;
  /** The items that have it; only some of them are drawn. */
  found: readonly number[];
  /** The one that is shown now. */
  at: number | null;
  /** How often it was asked for: each time the field has the focus again. */
  asked: number;
  open(): void;
  close(): void;
  write(words: string): void;
  step(by: 1 | -1): void;
}

/** Looks through all of a conversation, also what is not drawn. */
export function useFind(items: readonly Item[], wanted?: Wanted): Finding {
  const [start] = useState(() => (wanted ? findWanted(items, wanted) : null));
  const [words, setWords] = useState(start?.words ?? '');
  const [asked, setAsked] = useState(0);
  const [isOpen, setOpen] = useState(start !== null);
  const [at, setAt] = useState<number | null>(start?.at ?? null);
  const found = useMemo(() => (isOpen ? findItems(items, words) : []), [items, words, isOpen]);
  return {
    isOpen,
    words: isOpen ? words : '',
    found,
    at: at !== null && found.includes(at) ? at : null,
    asked,
    open() {
      setOpen(true);
      setAsked(asked + 1);
    },
    close() {
      setOpen(false);
      setAt(null);
    },
    write(next) {
      setWords(next);
      // The last is nearest to where one reads.
      setAt(stepFound(findItems(items, next), null, -1));
    },
    step: (by) => setAt(stepFound(found, at, by)),
  };
}
