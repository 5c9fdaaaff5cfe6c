import { useSyncExternalStore } from 'react';
import { keep, readKept } from '../data/kept.ts';

/** What this browser remembers of its user. Nothing of it leaves the browser. */
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
  keep(KEY, current);
  apply();
  for (const listener of listeners) listener();
}

/** Before anything is drawn, and whenever the system changes its mind. */
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
  const kept = readKept(KEY);
  if (typeof kept !== 'object' || kept === null) return DEFAULTS;
  const theme = 'theme' in kept && (kept.theme === 'light' || kept.theme === 'dark') ? kept.theme : DEFAULTS.theme;
  const density = 'density' in kept && kept.density === 'roomy' ? 'roomy' : DEFAULTS.density;
  return { theme, density };
}
