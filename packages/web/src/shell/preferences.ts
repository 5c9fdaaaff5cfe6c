import { useSyncExternalStore } from 'react';
import { readStored, writeStored } from '../data/local-storage.ts';

/** Preferences stored in this browser only. */
interface Preferences {
  theme: 'system' | 'light' | 'dark';
  density: 'dense' | 'roomy';
}

const KEY = 'agent-mux.preferences';
const DEFAULTS: Preferences = { theme: 'system', density: 'dense' };
const dark = window.matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();
let current = read();

export function usePreferences(): Preferences {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );
}

export function setPreferences(change: Partial<Preferences>): void {
  current = { ...current, ...change };
  writeStored(KEY, current);
  apply();
  for (const listener of listeners) listener();
}

/** Applies preferences before the first render and whenever the system theme changes. */
export function applyPreferences(): void {
  apply();
  dark.addEventListener('change', apply);
}

function apply(): void {
  const { theme, density } = current;
  const { dataset } = document.documentElement;
  dataset.theme = theme === 'system' ? (dark.matches ? 'dark' : 'light') : theme;
  dataset.density = density;
}

function read(): Preferences {
  const stored = readStored(KEY);
  if (typeof stored !== 'object' || stored === null) return DEFAULTS;
  const theme =
    'theme' in stored && (stored.theme === 'light' || stored.theme === 'dark') ? stored.theme : DEFAULTS.theme;
  const density = 'density' in stored && stored.density === 'roomy' ? 'roomy' : DEFAULTS.density;
  return { theme, density };
}
