/** Where somebody has stopped reading, by session. Null: at the end. */
const PREFIX = 'agent-mux.place.';

export function keepPlace(id: string, key: string | null): void {
  if (key === null) sessionStorage.removeItem(PREFIX + id);
  else sessionStorage.setItem(PREFIX + id, key);
}

export function readPlace(id: string): string | null {
  return sessionStorage.getItem(PREFIX + id);
}
