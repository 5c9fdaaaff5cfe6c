import { isDeepStrictEqual } from 'node:util';
import { parse, patch, stringify } from '@decimalturn/toml-patch';
import { isRecord, valueAtPath } from '../values.ts';
import { applyChanges, type ConfigChange, type ConfigCodec } from './config-codecs.ts';

export const TOML_CODEC: ConfigCodec = {
  parse: (text) => (text.trim() === '' ? {} : parse(text)),
  edit: (text, changes) => changes.reduce(editOne, text),
};

function editOne(text: string, change: ConfigChange): string {
  const content = TOML_CODEC.parse(text);
  const wanted = applyChanges(content, [change]);
  const appended = withNewTable(text, content, change);
  // Where the parent is an inline table, another table of its name is not allowed.
  if (appended !== undefined && amountsTo(appended, wanted)) return appended;
  return patch(text, wanted);
}

/** A new table stands under a heading of its own at the end, as people write it; the library would squeeze it into a line. */
function withNewTable(text: string, content: unknown, { path, value }: ConfigChange): string | undefined {
  if (!isRecord(value) || valueAtPath(content, path) !== undefined) return undefined;
  const table = stringify(path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value));
  const before = text === '' || text.endsWith('\n') ? text : `${text}\n`;
  return before.trim() === '' ? `${before}${table}` : `${before}\n${table}`;
}

function amountsTo(text: string, wanted: unknown): boolean {
  try {
    return isDeepStrictEqual(JSON.stringify(parse(text)), JSON.stringify(wanted));
  } catch {
    return false;
  }
}
