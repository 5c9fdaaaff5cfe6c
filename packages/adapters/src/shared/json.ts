/** Narrowing of parsed JSON on the hot path, where a schema per line would cost too much. */
export type Json = Record<string, unknown>;

export function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function parseRecord(line: string): Json | null {
  if (line.charCodeAt(0) !== 123 && !line.trimStart().startsWith('{')) return null;
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

export function record(value: unknown): Json {
  return isRecord(value) ? value : {};
}

export function records(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

export function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A string that says something. */
export function word(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}

export function number(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** Tokens or money: there is no less than none of them. */
export function amount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** Epoch milliseconds of a date as agents write it. */
export function isoTime(value: unknown): number | undefined {
  const time = Date.parse(text(value) ?? '');
  return Number.isNaN(time) ? undefined : time;
}

/** What a table has under a name that an agent has said. `__proto__` and `constructor` are in every object, and in no table. */
export function entryOf<T>(table: Readonly<Record<string, T>>, name: string | number): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

export function setEntry<T>(table: Record<string, T>, name: string | number, value: T): void {
  // Assigned, `__proto__` would change what the table is.
  if (name === '__proto__')
    Object.defineProperty(table, name, { value, enumerable: true, writable: true, configurable: true });
  else table[name] = value;
}
