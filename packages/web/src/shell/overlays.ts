import { useSyncExternalStore } from 'react';

/** The overlay that is shown; only one at a time. */
export type Overlay = 'none' | 'palette' | 'help' | 'new-session';

const listeners = new Set<() => void>();
let current: Overlay = 'none';

export function showOverlay(overlay: Overlay): void {
  current = overlay;
  for (const listener of listeners) listener();
}

export function useOverlay(): Overlay {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );
}
