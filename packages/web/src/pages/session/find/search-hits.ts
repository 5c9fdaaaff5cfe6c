import { createContext, useContext, useEffect } from 'react';
import type { Item } from '../../../data/items.ts';
import { matchesQuery } from './find.logic.ts';

/** The search query inside the current match; empty outside of it. */
export const SearchHits = createContext('');

/** Expands a collapsed item when the query matches in it; the user may collapse it again. */
export function useUnfoldFound(item: Item, unfold: () => void): void {
  const query = useContext(SearchHits);
  const isFound = matchesQuery(item, query);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once per matching query.
  useEffect(() => {
    if (isFound) unfold();
  }, [isFound, query]);
}
