import { createContext, useContext, useState } from 'react';

/** What the reader has folded and unfolded, by the keys of items: what is scrolled away is not drawn, and comes back as it was. */
export const Folds = createContext<Map<string, boolean>>(new Map());

/** Undefined: nobody has chosen. */
export function useFold(key: string): [boolean | undefined, (isOpen: boolean) => void] {
  const folds = useContext(Folds);
  const [chosen, setChosen] = useState(folds.get(key));
  const choose = (isOpen: boolean) => {
    folds.set(key, isOpen);
    setChosen(isOpen);
  };
  return [chosen, choose];
}
