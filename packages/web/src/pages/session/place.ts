/** Where somebody has stopped reading, by session. Null: at the end. */
const PREFIX = 'agent-mux.place.';

export function keepPlace(id: string, key: string | null): void {
  try {
    if (key === null) sessionStorage.removeItem(PREFIX + id);
    else sessionStorage.setItem(PREFIX + id, key);
  } catch {
    // Full, or forbidden: then it is opened at the end.
  }
}

export function readPlace(id: string): string | null {
  try {
    return sessionStorage.getItem(PREFIX + id);
  } catch {
    return null;
  }
}
