import { createContext, useContext, useEffect } from 'react';
import type { Item } from '../../../data/items.ts';
import { hasWords } from './find.logic.ts';

/** What is looked for, within the item that is shown now; nothing elsewhere. */
export const FoundWords = createContext('');

/** Opens what is folded when the words are found in it. Whoever folds it again is not disturbed. */
export function useUnfoldFound(item: Item, unfold: () => void): void {
  const words = useContext(FoundWords);
  const isFound = hasWords(item, words);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each words that are found in it.
  useEffect(() => {
    if (isFound) unfold();
  }, [isFound, words]);
}
