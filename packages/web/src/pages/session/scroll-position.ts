/** Stores the reading position of each session. Null: at the end. */
const PREFIX = 'agent-mux.scroll.';

export function saveScroll(id: string, key: string | null): void {
  try {
    if (key === null) sessionStorage.removeItem(PREFIX + id);
    else sessionStorage.setItem(PREFIX + id, key);
  } catch {
    // Storage is full or forbidden: the session opens at the end.
  }
}

export function readScroll(id: string): string | null {
  try {
    return sessionStorage.getItem(PREFIX + id);
  } catch {
    return null;
  }
}
