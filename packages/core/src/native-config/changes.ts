import { isDeepStrictEqual } from 'node:util';
import type { ConfigChange, ConfigCodec, NativePath } from './codecs.ts';

/** Objects as parsers create them. A date is not one, though TOML has its own dates. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Follows only own properties and list indexes. */
export function valueAtNative(root: unknown, path: NativePath): unknown {
  let value = root;
  for (const key of path) {
    if (typeof key === 'number') {
      if (!Array.isArray(value)) return undefined;
      value = value[key];
    } else {
      if (!isPlainObject(value) || !Object.hasOwn(value, key)) return undefined;
      value = value[key];
    }
  }
  return value;
}

/** The content after the changes, as plain data: what an edit of the text must result in. */
export function applyChanges(content: unknown, changes: readonly ConfigChange[]): Record<string, unknown> {
  if (content !== undefined && !isPlainObject(content)) throw new Error('the file must contain an object');
  return changes.reduce<Record<string, unknown>>((root, { path, value }) => {
    const changed = withValue(root, path, value, []);
    return isPlainObject(changed) ? changed : root;
  }, content ?? {});
}

/**
 * Throws if an edit has a different result than requested: a broken file is worse than a refusal. A byte order mark
 * stays.
 */
export function editChecked(codec: ConfigCodec, text: string, changes: readonly ConfigChange[]): string {
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : '';
  const bare = text.slice(mark.length);
  const wanted = applyChanges(codec.parse(bare), changes);
  const edited = codec.edit(bare, changes);
  if (amountsTo(codec, edited, wanted, changes)) return mark + edited;
  throw new Error('the file cannot be changed without losing data');
}

/** Whether a text has the wanted content. An object whose last value was removed may be gone too. */
export function amountsTo(
  codec: ConfigCodec,
  text: string,
  wanted: Record<string, unknown>,
  changes: readonly ConfigChange[],
): boolean {
  try {
    const content = codec.parse(text);
    return sameContent(content, wanted) || sameContent(content, dropEmptied(wanted, changes));
  } catch {
    return false;
  }
}

function dropEmptied(wanted: Record<string, unknown>, changes: readonly ConfigChange[]): Record<string, unknown> {
  let pruned = wanted;
  for (const { path } of changes.filter(({ value }) => value === undefined)) {
    for (let length = path.length - 1; length > 0; length -= 1) {
      const above = path.slice(0, length);
      const left = valueAtNative(pruned, above);
      if (!isPlainObject(left) || Object.keys(left).length > 0) break;
      pruned = applyChanges(pruned, [{ path: above, value: undefined }]);
    }
  }
  return pruned;
}

/** Equal as data, whatever class or prototype a parser uses for its objects. */
export function sameContent(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(normalize(one), normalize(other));
}

function normalize(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normalize);
  if (!isPlainObject(value)) return typeof value === 'number' && Object.is(value, -0) ? 0 : value;
  // The order of keys does not matter, and an undefined key counts as missing.
  return new Map(
    Object.entries(value).flatMap(([key, inner]) => (inner === undefined ? [] : [[key, normalize(inner)]])),
  );
}

function withValue(at: unknown, path: NativePath, value: unknown, parents: NativePath): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (typeof key === 'number') return withListValue(at, [key, ...rest], value, parents);
  if (value === undefined && !(isPlainObject(at) && Object.hasOwn(at, key))) return at;
  const absent = at === undefined || at === null;
  if (!absent && !isPlainObject(at)) throw new Error(`${parents.join('.')} is ${kindOf(at)}, not an object`);
  const entries = absent ? [] : Object.entries(at);
  const old = entries.find(([name]) => name === key)?.[1];
  const next = withValue(old, rest, value, [...parents, key]);
  // fromEntries defines own properties, so that a key called __proto__ is a normal key.
  if (next === undefined) return Object.fromEntries(entries.filter(([name]) => name !== key));
  if (!entries.some(([name]) => name === key)) return Object.fromEntries([...entries, [key, next]]);
  return Object.fromEntries(entries.map(([name, inner]) => [name, name === key ? next : inner]));
}

function withListValue(
  at: unknown,
  [index, ...rest]: readonly [number, ...NativePath],
  value: unknown,
  parents: NativePath,
): unknown {
  if (at !== undefined && at !== null && !Array.isArray(at)) {
    throw new Error(`${parents.join('.')} is ${kindOf(at)}, not a list`);
  }
  const list: unknown[] = [...(at ?? [])];
  if (value === undefined && rest.length === 0) return list.toSpliced(index, 1);
  list[index] = withValue(list[index], rest, value, [...parents, index]);
  return list;
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  return value instanceof Date ? 'a date' : `a ${typeof value}`;
}
