import { isDeepStrictEqual } from 'node:util';
import { applyEdits, modify, type ParseError, parse, printParseErrorCode } from 'jsonc-parser';
import type { ConfigFormat } from '../contract/surroundings.ts';
import { isRecord } from '../values.ts';

/** One value of a native file; `undefined` takes it out. */
export interface ConfigChange {
  path: readonly string[];
  value: unknown;
}

/** How a native file is read and changed. */
export interface ConfigCodec {
  /** Throws on text that it cannot read. Empty text is an empty file. */
  parse(text: string): unknown;
  /** The same text with these changes; everything else, comments too, stays. */
  edit(text: string, changes: readonly ConfigChange[]): string;
}

/** The libraries for TOML and YAML are loaded where such a file is read, and only then. */
export async function codecOf(format: ConfigFormat): Promise<ConfigCodec> {
  if (format === 'toml') return (await import('./toml-codec.ts')).TOML_CODEC;
  if (format === 'yaml') return (await import('./yaml-codec.ts')).YAML_CODEC;
  return JSONC_CODEC;
}

export const JSONC_CODEC: ConfigCodec = {
  parse(text) {
    const errors: ParseError[] = [];
    const value: unknown = parse(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
    const first = errors[0];
    if (first) throw new SyntaxError(`${printParseErrorCode(first.error)} at offset ${first.offset}`);
    return value;
  },
  edit(text, changes) {
    const formattingOptions = { insertSpaces: !text.includes('\n\t'), tabSize: 2, eol: '\n' };
    const start = text.trim() === '' ? '{}\n' : text;
    return changes.reduce(
      (edited, { path, value }) => applyEdits(edited, modify(edited, [...path], value, { formattingOptions })),
      start,
    );
  },
};

/** The content after the changes, as plain data: what an edit of the text has to amount to. */
export function applyChanges(content: unknown, changes: readonly ConfigChange[]): Record<string, unknown> {
  const root: Record<string, unknown> = isRecord(content) ? structuredClone(content) : {};
  for (const { path, value } of changes) {
    let at = root;
    for (const key of path.slice(0, -1)) {
      const next = Object.hasOwn(at, key) ? at[key] : undefined;
      if (value === undefined && !isRecord(next)) break;
      at = isRecord(next) ? next : put(at, key, {});
    }
    const last = path.at(-1);
    if (last === undefined) continue;
    if (value === undefined) delete at[last];
    else put(at, last, value);
  }
  return root;
}

/** Throws where an edit has done something else than what was asked for: a broken file is worse than a refusal. */
export function checkedEdit(codec: ConfigCodec, text: string, changes: readonly ConfigChange[]): string {
  const wanted = applyChanges(codec.parse(text), changes);
  const edited = codec.edit(text, changes);
  if (isDeepStrictEqual(plain(codec.parse(edited)), plain(wanted))) return edited;
  throw new Error('this file is written in a way that cannot be changed without a loss');
}

/** Without prototypes and classes of a parser (TOML has dates of its own). */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? {}));
}

function put<Value>(at: Record<string, unknown>, key: string, value: Value): Value {
  // Assigned, `__proto__` would change what the object is.
  Object.defineProperty(at, key, { value, enumerable: true, writable: true, configurable: true });
  return value;
}
