import { isRecord } from '@agent-mux/core';

/** Narrowing of parsed JSON on the hot path, where a schema per line would cost too much. */
export type Json = Record<string, unknown>;

export { isRecord };

export function parseRecord(line: string): Json | null {
  if (line.charCodeAt(0) !== 123 && !line.trimStart().startsWith('{')) return null;
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

/** A list of objects, as databases store it in a column. Undefined: not JSON. */
export function parseRecords(json: unknown): Json[] | undefined {
  try {
    return records(JSON.parse(text(json) ?? ''));
  } catch {
    return undefined;
  }
}

export function record(value: unknown): Json {
  return isRecord(value) ? value : {};
}

export function records(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A non-empty string. */
export function word(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}

export function number(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** Tokens or money: never negative. */
export function amount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** The value, if it is one of the known ones. */
export function oneOf<T extends string>(value: unknown, allowed: readonly T[]): T | undefined {
  return allowed.find((word) => word === value);
}

/** Epoch milliseconds of a date as agents write it. */
export function isoTime(value: unknown): number | undefined {
  const time = Date.parse(text(value) ?? '');
  return Number.isNaN(time) ? undefined : time;
}

/** Looks up a name from an agent. `__proto__` and `constructor` are in every object, but in no table. */
export function entryOf<T>(table: Readonly<Record<string, T>>, name: string | number): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** Maximum number of entries of a table with names from an agent; then the oldest are dropped. */
const MAX_ENTRIES = 10_000;
/** Entries added to a table since it was last trimmed. Counting them each time would cost too much. */
const fresh = new WeakMap<object, number>();

export function setEntry<T>(table: Record<string, T>, name: string | number, value: T): void {
  // Assigning `__proto__` would change the prototype of the table.
  if (name === '__proto__')
    Object.defineProperty(table, name, { value, enumerable: true, writable: true, configurable: true });
  else table[name] = value;
  const since = (fresh.get(table) ?? 0) + 1;
  fresh.set(table, since < MAX_ENTRIES / 2 ? since : 0);
  if (since < MAX_ENTRIES / 2) return;
  const names = Object.keys(table);
  for (const oldest of names.slice(0, Math.max(0, names.length - MAX_ENTRIES))) delete table[oldest];
}

/** The table of this name in an untyped state. */
export function tableOf(state: Json, name: string): Json {
  const table = record(state[name]);
  state[name] = table;
  return table;
}

/** The same for a list. */
export function addBounded<T>(list: T[], ...items: readonly T[]): void {
  list.push(...items);
  if (list.length > MAX_ENTRIES) list.splice(0, list.length - MAX_ENTRIES);
}

/** Maximum number of characters of a text that is assembled from pieces. */
const MAX_PIECED_CHARS = 16 * 1024 * 1024;

/** Appends this piece, up to the limit. */
export function withPiece(text: string, piece: string): string {
  return text.length + piece.length > MAX_PIECED_CHARS ? text : text + piece;
}

/** Lone surrogates, as `JSON.stringify` writes them; any other escape is skipped. */
const ESCAPES = /\\(?:u(d[89a-f][0-9a-f]{2})|.)/g;

/**
 * One line of JSON for an agent's stdin. Some agents split their input at U+2028 and U+2029 too (seen with Qwen Code),
 * and some parsers refuse a lone surrogate: the first are escaped, the second become U+FFFD.
 */
export function jsonLine(value: unknown): string {
  const line = JSON.stringify(value).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
  if (!line.includes('\\ud')) return line;
  return line.replace(ESCAPES, (whole, half: string | undefined) => (half === undefined ? whole : '\\ufffd'));
}
