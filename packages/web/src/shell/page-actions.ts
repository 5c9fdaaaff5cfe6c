import { useEffect, useRef } from 'react';

/** Actions of the current page, for the command palette. */
export interface PageActions {
  /** Group heading, for example `This session`. */
  heading: string;
  actions: readonly { label: string; keys?: string; isDisabled?: boolean; onSelect(): void }[];
}

const offered = new Set<{ current: PageActions }>();

/** Offers actions while the component is mounted. */
export function usePageActions(actions: PageActions): void {
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    offered.add(latest);
    return () => {
      offered.delete(latest);
    };
  }, []);
}

export function listPageActions(): PageActions[] {
  return [...offered].map(({ current }) => current);
}
