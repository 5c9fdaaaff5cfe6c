/** Reads a value from localStorage; null if it is missing, invalid or unavailable. */
export function readStored(key: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null');
  } catch {
    return null;
  }
}

/** Writes a value, or removes it if undefined. Failures are ignored: the page works without stored values. */
export function writeStored(key: string, value: unknown): void {
  try {
    if (value === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // Storage is full or forbidden.
  }
}
