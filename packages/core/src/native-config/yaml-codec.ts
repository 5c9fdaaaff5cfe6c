import {
  Document,
  isMap,
  isNode,
  isScalar,
  LineCounter,
  type Node,
  type Pair,
  parse,
  parseDocument,
  Scalar,
  visit,
  type YAMLMap,
  YAMLParseError,
} from 'yaml';
import { amountsTo, applyChanges } from './changes.ts';
import {
  assertShallow,
  type ConfigChange,
  type ConfigCodec,
  ConfigSyntaxError,
  lineEndOf,
  type NativePath,
} from './codecs.ts';
import { nest } from './native-path.ts';

export const YAML_CODEC: ConfigCodec = {
  parse(text) {
    const lines = new LineCounter();
    // The library compares every key with all others, and reports each error with the lines around it.
    const document = parseDocument(text, { lineCounter: lines, uniqueKeys: false, prettyErrors: false });
    const [first] = document.errors;
    if (first) throw syntaxError(first, lines);
    assertKeysOnce(document, lines);
    const value = toPlain(document);
    assertShallow(value);
    return value;
  },
  edit: (text, changes) => changes.reduce(editOne, text),
  locate(text, path) {
    const lines = new LineCounter();
    const document = parseDocument(text, { lineCounter: lines });
    for (let length = path.length; length > 0; length -= 1) {
      const pair = pairAt(document.contents, path.slice(0, length));
      const start = isScalar(pair?.key) ? pair.key.range?.[0] : undefined;
      if (start === undefined) continue;
      const { line, col } = lines.linePos(start);
      return { line, column: col };
    }
    return { line: 1, column: 1 };
  },
};

function toPlain(document: Document.Parsed): unknown {
  try {
    return document.toJS() ?? {};
  } catch {
    // Aliases of aliases of aliases: the library counts them.
    throw new ConfigSyntaxError('too many aliases', { line: 1, column: 1 });
  }
}

function assertKeysOnce(document: Document.Parsed, lines: LineCounter): void {
  visit(document, {
    Map(_, { items }) {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        // `<<` merges other maps, and may do so several times.
        if (seen.has(key.value) && key.value !== '<<') {
          const { line, col } = lines.linePos(key.range?.[0] ?? 0);
          throw new ConfigSyntaxError('duplicate key', { line, column: col });
        }
        seen.add(key.value);
      }
    },
  });
}

/**
 * Changes a few characters if possible; otherwise the library writes the whole document, which keeps comments and
 * content but not the layout of lists and quotes.
 */
function editOne(text: string, change: ConfigChange): string {
  const wanted = applyChanges(YAML_CODEC.parse(text), [change]);
  const small = smallEdit(text, change);
  if (small !== undefined && amountsTo(YAML_CODEC, small, wanted, [change])) return small;
  const document: Document = parseDocument(text);
  const { path, value } = change;
  if (value === undefined) document.deleteIn(path);
  else if (document.contents === null) document.contents = createNode(nest(path, value));
  else document.setIn(path, withCommentsOf(document.getIn(path, true), createNode(value)));
  return document.toString({ lineWidth: 0 }).replaceAll('\n', lineEndOf(text));
}

/** The comment on the line of a value stays when the value is replaced. */
function withCommentsOf<Made extends Node>(old: unknown, made: Made): Made {
  if (!isNode(old)) return made;
  if (old.commentBefore) made.commentBefore = old.commentBefore;
  if (old.comment) made.comment = old.comment;
  return made;
}

function smallEdit(text: string, { path, value }: ConfigChange): string | undefined {
  const { contents } = parseDocument(text);
  if (contents === null) return value === undefined ? text : append(text, render(nest(path, value), '', text));
  const [last] = path.slice(-1);
  const pair = pairAt(contents, path);
  if (value === undefined) return pair ? withoutPair(text, contents, path, pair) : text;
  if (pair) return replaceValue(text, pair, value);
  for (let length = path.length - 1; length >= 0; length -= 1) {
    const parent = length === 0 ? contents : pairAt(contents, path.slice(0, length))?.value;
    if (parent === undefined) continue;
    if (!isMap(parent) || parent.flow || typeof last === 'number') return undefined;
    return withPair(text, parent, nest(path.slice(length), value));
  }
  return undefined;
}

/** Only replaces a one-line value by another. */
function replaceValue(text: string, pair: Pair, value: unknown): string | undefined {
  const old = pair.value;
  if (!isScalar(old) || !old.range || old.anchor || old.tag) return undefined;
  if (old.type === Scalar.BLOCK_FOLDED || old.type === Scalar.BLOCK_LITERAL) return undefined;
  const inline = render(value, '', text, 'flow').trimEnd();
  if (inline.includes('\n')) return undefined;
  const [start, end] = old.range;
  const gap = text[start - 1] === ':' ? ' ' : '';
  return text.slice(0, start) + gap + inline + text.slice(end);
}

function withPair(text: string, map: YAMLMap, value: unknown): string | undefined {
  const first = map.items[0]?.key;
  const end = map.range?.[1];
  if (!isScalar(first) || !first.range || end === undefined) return undefined;
  const indent = ' '.repeat(first.range[0] - (text.lastIndexOf('\n', first.range[0] - 1) + 1));
  const written = render(value, indent, text);
  if (text[end - 1] === '\n') return text.slice(0, end) + written + text.slice(end);
  const lineBreak = text.indexOf('\n', end);
  if (lineBreak === -1) return append(text, written);
  return text.slice(0, lineBreak + 1) + written + text.slice(lineBreak + 1);
}

/** The lines of the pair, unless it is the only one: an empty map must be written explicitly. */
function withoutPair(text: string, root: unknown, path: NativePath, pair: Pair): string | undefined {
  const map = path.length === 1 ? root : pairAt(root, path.slice(0, -1))?.value;
  const { key, value } = pair;
  if (!isMap(map) || map.flow || map.items.length < 2 || !isScalar(key) || !key.range) return undefined;
  const start = text.lastIndexOf('\n', key.range[0] - 1) + 1;
  if (text.slice(start, key.range[0]).trim() !== '') return undefined;
  const end = hasRange(value) ? value.range[1] : key.range[1];
  const lineBreak = text[end - 1] === '\n' ? end - 1 : text.indexOf('\n', end);
  const rest = lineBreak === -1 ? text.length : lineBreak + 1;
  // A comment on the line stays: it may be about its neighbors.
  const comment = text.slice(end, rest).trimStart();
  return (
    text.slice(0, start) + (comment.startsWith('#') ? text.slice(start, key.range[0]) + comment : '') + text.slice(rest)
  );
}

function pairAt(root: unknown, path: NativePath): Pair | undefined {
  let at: unknown = root;
  let pair: Pair | undefined;
  for (const key of path) {
    if (!isMap(at) || typeof key === 'number') return undefined;
    pair = at.items.find((item) => isScalar(item.key) && String(item.key.value) === key);
    if (!pair) return undefined;
    at = pair.value;
  }
  return pair;
}

function append(text: string, more: string): string {
  return text === '' || text.endsWith('\n') ? text + more : text + lineEndOf(text) + more;
}

function render(value: unknown, indent: string, context: string, collectionStyle: 'any' | 'flow' = 'any'): string {
  const document = new Document();
  document.contents = createNode(value);
  const lines = document.toString({ lineWidth: 0, collectionStyle }).split('\n');
  return lines.map((line) => (line === '' ? line : indent + line)).join(lineEndOf(context));
}

/** Agents parse YAML 1.1 (Python) and 1.2: a text that either reads as another type is quoted. */
function createNode(value: unknown) {
  const made = new Document().createNode(value);
  visit(made, {
    Scalar(_, scalar) {
      if (typeof scalar.value === 'string' && !scalar.value.includes('\n') && isAmbiguous(scalar.value)) {
        scalar.type = Scalar.QUOTE_DOUBLE;
      }
    },
  });
  return made;
}

function isAmbiguous(text: string): boolean {
  try {
    return parse(text, { version: '1.1', logLevel: 'error' }) !== text || parse(text, { logLevel: 'error' }) !== text;
  } catch {
    return true;
  }
}

function hasRange(value: unknown): value is { range: [number, number, number] } {
  return typeof value === 'object' && value !== null && 'range' in value && Array.isArray(value.range);
}

/** By its code: the message quotes the line, which may contain a key. */
function syntaxError(error: unknown, lines: LineCounter): ConfigSyntaxError {
  if (!(error instanceof YAMLParseError)) return new ConfigSyntaxError('not YAML', { line: 1, column: 1 });
  const { line, col } = lines.linePos(error.pos[0]);
  return new ConfigSyntaxError(error.code.toLowerCase().replaceAll('_', ' '), { line, column: col });
}
