import { parse, patch, stringify, TomlFormat } from '@decimalturn/toml-patch';
import { isRecord, withoutEnding } from '../values.ts';
import { amountsTo, applyChanges, isPlainObject } from './changes.ts';
import {
  assertShallow,
  type ConfigChange,
  type ConfigCodec,
  ConfigSyntaxError,
  lineEndOf,
  type NativePath,
  positionAt,
  TOO_DEEP,
} from './codecs.ts';
import { startsWith } from './native-path.ts';
import { assertShortKeys } from './toml-keys.ts';
import { type Section, type Span, sectionsOf } from './toml-rows.ts';

export const TOML_CODEC: ConfigCodec = {
  parse(text) {
    if (text.trim() === '') return {};
    assertShortKeys(text);
    const value = parseToml(text);
    assertShallow(value);
    return value;
  },
  edit: (text, changes) => changes.reduce(editOne, text),
  locate(text, path) {
    const spans = sectionsOf(text).flatMap((section) => [{ path: section.path, ...section.heading }, ...section.rows]);
    for (let length = path.length; length > 0; length -= 1) {
      const at = spans.find((span) => startsWith(span.path, path.slice(0, length)));
      if (at) return positionAt(text, at.start);
    }
    return { line: 1, column: 1 };
  },
};

function parseToml(text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw syntaxError(error);
  }
}

/** Changes a few lines if possible; otherwise the library does it, which may lose comments. */
function editOne(text: string, change: ConfigChange): string {
  const wanted = applyChanges(TOML_CODEC.parse(text), [change]);
  for (const edited of smallEdits(text, change)) {
    if (edited !== undefined && amountsTo(TOML_CODEC, edited, wanted, [change])) return edited;
  }
  return patch(text, wanted);
}

function* smallEdits(text: string, { path, value }: ConfigChange): Generator<string | undefined> {
  const sections = text.trim() === '' ? [] : sectionsOf(text);
  const row = sections.flatMap(({ rows }) => rows).find((each) => isSame(each.path, path));
  if (value === undefined) {
    yield row ? withoutLines(text, [row]) : withoutSections(text, sections, path);
    return;
  }
  if (row) {
    yield splice(text, row.value, writeInline(value, text));
    return;
  }
  const section = sections.find((each) => each.path.length === path.length - 1 && startsWith(path, each.path));
  const isTable = isPlainObject(value);
  if (section && !isTable) yield withRow(text, section, `${keyOf(path.at(-1))} = ${writeInline(value, text)}`);
  if (isTable || path.length > 1) yield withTable(text, path, value);
  if (section && isTable) yield withRow(text, section, `${keyOf(path.at(-1))} = ${writeInline(value, text)}`);
  if (path.length === 1 && !isTable) yield `${keyOf(path[0])} = ${writeInline(value, text)}${lineEndOf(text)}${text}`;
}

/** After the last row of the section and the comment on its line. */
function withRow(text: string, section: Section, row: string): string | undefined {
  const last: Span | undefined = section.rows.at(-1) ?? (section.path.length > 0 ? section.heading : undefined);
  if (!last) return undefined;
  const eol = lineEndOf(text);
  const lineEnd = text.indexOf('\n', last.end);
  const before = text.slice(0, last.start);
  const indent = before.slice(withoutEnding(before, ' \t').length);
  if (lineEnd === -1) return `${text}${eol}${indent}${row}${eol}`;
  return `${text.slice(0, lineEnd + 1)}${indent}${row}${eol}${text.slice(lineEnd + 1)}`;
}

/** A separate heading at the end of the text, as people write it. */
function withTable(text: string, path: NativePath, value: unknown): string {
  const lines = isPlainObject(value)
    ? tableLines(path, value, text)
    : tableLines(path.slice(0, -1), { [String(path.at(-1))]: value }, text);
  const eol = lineEndOf(text);
  const before = text === '' || text.endsWith('\n') ? text : `${text}${eol}`;
  const gap = before.trim() === '' || /\n\r?\n$/.test(before) ? '' : eol;
  return `${before}${gap}${lines.join(eol)}${eol}`;
}

function tableLines(path: NativePath, table: Record<string, unknown>, context: string): string[] {
  const entries = Object.entries(table).filter(([, value]) => value !== undefined);
  const inner = entries.filter(([, value]) => isPlainObject(value));
  const rows = entries.filter(([, value]) => !isPlainObject(value));
  const name = path
    .filter((key) => typeof key === 'string')
    .map(keyOf)
    .join('.');
  const heading = typeof path.at(-1) === 'number' ? `[[${name}]]` : `[${name}]`;
  const needed = rows.length > 0 || inner.length === 0 || typeof path.at(-1) === 'number';
  const own = needed ? [heading, ...rows.map(([key, value]) => `${keyOf(key)} = ${writeInline(value, context)}`)] : [];
  const below = inner.map(([key, value]) => (isPlainObject(value) ? tableLines([...path, key], value, context) : []));
  return [own, ...below]
    .filter((lines) => lines.length > 0)
    .flatMap((lines, at) => (at === 0 ? lines : ['', ...lines]));
}

function withoutSections(text: string, sections: readonly Section[], path: NativePath): string | undefined {
  const removed = sections.filter((section) => section.path.length > 0 && startsWith(section.path, path));
  const dotted = sections.filter((section) => !removed.includes(section)).flatMap(({ rows }) => rows);
  return withoutLines(text, [
    ...removed.map(({ heading, rows }) => ({ start: heading.start, end: rows.at(-1)?.end ?? heading.end })),
    ...dotted.filter((row) => startsWith(row.path, path)),
  ]);
}

/** A comment after the removed part stays: it may be about its neighbors. Two empty lines become one. */
function withoutLines(text: string, spans: readonly Span[]): string {
  return spans
    .toSorted((a, b) => b.start - a.start)
    .reduce((result, { start, end }) => {
      const lineEnd = result.indexOf('\n', end);
      const next = lineEnd === -1 ? result.length : lineEnd + 1;
      const comment = result.slice(end, next).trimStart();
      if (comment !== '') return result.slice(0, start) + comment + result.slice(next);
      const before = result.slice(0, result.lastIndexOf('\n', start - 1) + 1);
      const after = result.slice(next);
      if (before !== '' && !/\n[ \t]*\r?\n$/.test(before)) return before + after;
      return after === '' ? before.replace(/\n[ \t]*\r?\n$/, '\n') : before + after.replace(/^[ \t]*\r?\n/, '');
    }, text);
}

function writeInline(value: unknown, context: string): string {
  const written = stringify({ v: value }, { ...TomlFormat.default(), inlineTableStart: 0 });
  return written
    .slice(written.indexOf('=') + 1)
    .trim()
    .replaceAll('\n', lineEndOf(context));
}

function keyOf(key: string | number | undefined): string {
  const name = String(key);
  if (/^[\w-]+$/.test(name)) return name;
  const written = stringify({ v: name });
  return written.slice(written.indexOf('=') + 1).trim();
}

function splice(text: string, { start, end }: Span, by: string): string {
  return text.slice(0, start) + by + text.slice(end);
}

function isSame(one: NativePath, other: NativePath): boolean {
  return one.length === other.length && startsWith(one, other);
}

/** The library quotes the line with the error, which may contain a key. */
function syntaxError(error: unknown): ConfigSyntaxError {
  if (error instanceof RangeError) return new ConfigSyntaxError(TOO_DEEP, { line: 1, column: 1 });
  const lastLine = error instanceof Error ? (error.message.split('\n').at(-1) ?? '') : '';
  const problem = lastLine.replaceAll(/ ?(?:"[^"]*"|'[^']*'|`[^`]*`)/g, '').trim() || 'not TOML';
  const line = isRecord(error) && typeof error.line === 'number' ? error.line : 1;
  const column = isRecord(error) && typeof error.column === 'number' ? error.column + 1 : 1;
  return new ConfigSyntaxError(problem, { line, column });
}
