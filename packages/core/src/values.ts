/** Type guards for untrusted values. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Message of a thrown value. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** The parsed JSON, or the text itself if it is not JSON. */
export function parseIfJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Strips these characters from the end. A pattern that ends with `$` would restart at each of them. */
export function withoutEnding(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** The value at a dotted path, own properties only. */
export function valueAt(root: unknown, path: string): unknown {
  return valueAtPath(root, path.split('.'));
}

export function valueAtPath(root: unknown, path: readonly string[]): unknown {
  let value = root;
  for (const key of path) {
    if (!isRecord(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

/** Maximum nesting of `toJson` for values too deep for `JSON.stringify`. */
const MAX_JSON_DEPTH = 500;
export const TOO_DEEP = '[nested too deep]';

/** JSON of an agent's value: `JSON.parse` reads deeper nesting than `JSON.stringify` can write. Such a value is cut. */
export function toJson(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, null, indent);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return JSON.stringify(cutDeep(value, MAX_JSON_DEPTH), null, indent);
  }
}

function cutDeep(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return TOO_DEEP;
  if (Array.isArray(value)) return value.map((entry) => cutDeep(entry, levels - 1));
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, cutDeep(entry, levels - 1)]));
}
