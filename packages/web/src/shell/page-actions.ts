import { useEffect, useRef } from 'react';

/** What can be done with what the page shows, for the palette. */
export interface PageActions {
  /** What they are of: `This session`. */
  heading: string;
  actions: readonly { label: string; keys?: string; isDisabled?: boolean; onSelect(): void }[];
}

const offered = new Set<{ current: PageActions }>();

/** Offered while the component is shown. */
export function usePageActions(actions: PageActions): void {
  const kept = useRef(actions);
  kept.current = actions;
  useEffect(() => {
    offered.add(kept);
    return () => {
      offered.delete(kept);
    };
  }, []);
}

export function listPageActions(): PageActions[] {
  return [...offered].map(({ current }) => current);
}
