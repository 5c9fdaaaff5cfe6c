import { createContext, useContext, useState } from 'react';

/**
 * Which items the user has expanded or collapsed, by item key. Survives unmounting when an item scrolls out of view.
 */
export const Folds = createContext<Map<string, boolean>>(new Map());

/** Undefined until the user toggles the item. */
export function useFold(key: string): [boolean | undefined, (isOpen: boolean) => void] {
  const folds = useContext(Folds);
  const [chosen, setChosen] = useState(folds.get(key));
  const choose = (isOpen: boolean) => {
    folds.set(key, isOpen);
    setChosen(isOpen);
  };
  return [chosen, choose];
}
