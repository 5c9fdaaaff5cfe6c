import {
  applyEdits,
  createScanner,
  findNodeAtLocation,
  modify,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import { plainValue, positionOf, splitCamelCase } from '../documents/document.ts';
import { LineIndex } from '../documents/line-index.ts';
import { findTooDeep } from '../documents/nesting.ts';
import {
  type ConfigChange,
  type ConfigCodec,
  ConfigSyntaxError,
  lineEndOf,
  NATIVE_DEPTH_LIMIT,
  type NativePath,
  positionAt,
  TOO_DEEP,
} from './codecs.ts';
import { nest } from './native-path.ts';

/** `SyntaxKind` of jsonc-parser is a const enum, which single-file compilation cannot read. */
const TOKEN = { comma: 5, lineComment: 12, blockComment: 13, lineBreak: 14, end: 17 } as const;

/** Text with comments, trailing commas or errors is parsed about fifty times more slowly, and only up to this size. */
const COMMENTED_LIMIT = 2 * 1024 * 1024;

/** JSON, with comments and trailing commas if present. New text has neither. */
export const JSON_CODEC: ConfigCodec = {
  parse(text) {
    if (text.trim() === '') return {};
    const tooDeep = findTooDeep(text, NATIVE_DEPTH_LIMIT);
    if (tooDeep !== undefined) throw new ConfigSyntaxError(TOO_DEEP, positionAt(text, tooDeep));
    const strict = parseStrict(text);
    return strict === undefined ? plainValue(treeOf(text)) : strict;
  },
  edit: (text, changes) => changes.reduce(editOne, text.trim() === '' ? `{}${lineEndOf(text)}` : text),
  locate: (text, path) => positionOf({ file: '', positions: new LineIndex(text), root: parseTree(text) }, path),
};

/** Undefined if it is not strict JSON. */
function parseStrict(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    if (text.length <= COMMENTED_LIMIT) return undefined;
    const problem = `not strict JSON, which is required above ${COMMENTED_LIMIT} characters`;
    throw new ConfigSyntaxError(problem, { line: 1, column: 1 });
  }
}

function treeOf(text: string): Node {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  const [first] = errors;
  if (first)
    throw new ConfigSyntaxError(splitCamelCase(printParseErrorCode(first.error)), positionAt(text, first.offset));
  if (!root) throw new ConfigSyntaxError('no value', { line: 1, column: 1 });
  return root;
}

function editOne(text: string, { path, value }: ConfigChange): string {
  const root = treeOf(text);
  const node = findNodeAtLocation(root, [...path]);
  if (value === undefined) {
    if (!node) return text;
    return node.parent?.type === 'property' ? withoutProperty(text, node.parent) : editByLibrary(text, path, undefined);
  }
  if (node) return replaceValue(text, node, value);
  for (let length = path.length - 1; length >= 0; length -= 1) {
    const parent = length === 0 ? root : findNodeAtLocation(root, path.slice(0, length));
    if (!parent) continue;
    const [key, ...rest] = path.slice(length);
    if (parent.type === 'object') return withProperty(text, parent, String(key), nest(rest, value));
    if (parent.type === 'null') return replaceValue(text, parent, nest(path.slice(length), value));
    break;
  }
  return editByLibrary(text, path, value);
}

/** Only for list entries: around properties of an object the library moves or loses comments. */
function editByLibrary(text: string, path: NativePath, value: unknown): string {
  const formattingOptions = { insertSpaces: unitOf(text) !== '\t', tabSize: unitOf(text).length, eol: lineEndOf(text) };
  return applyEdits(text, modify(text, [...path], value, { formattingOptions }));
}

function replaceValue(text: string, node: Node, value: unknown): string {
  const indent = indentAt(text, node.parent?.type === 'property' ? node.parent.offset : node.offset);
  return text.slice(0, node.offset) + render(text, value, indent) + text.slice(node.offset + node.length);
}

/** After the last property and the comment on its line. */
function withProperty(text: string, object: Node, key: string, value: unknown): string {
  const end = object.offset + object.length - 1;
  const eol = lineEndOf(text);
  const last = object.children?.at(-1);
  const outer = indentAt(text, object.offset);
  const written = (indent: string) => `${JSON.stringify(key)}: ${render(text, value, indent)}`;
  if (!last) {
    const indent = outer + unitOf(text);
    return `${text.slice(0, end).trimEnd()}${eol}${indent}${written(indent)}${eol}${outer}${text.slice(end)}`;
  }
  const lastEnd = last.offset + last.length;
  const { comma, lineEnd } = lookAfter(text, lastEnd, end);
  const head = text.slice(0, lastEnd) + (comma === undefined ? ',' : '') + text.slice(lastEnd, lineEnd);
  const isOnOneLine = !text.slice(object.offset, end).includes('\n');
  if (isOnOneLine) return `${head.trimEnd()} ${written(outer)}${text.slice(lineEnd)}`;
  const indent = indentAt(text, last.offset);
  const closesHere = !text.slice(lineEnd, end).includes('\n');
  return `${head.trimEnd()}${eol}${indent}${written(indent)}${closesHere ? eol + outer : ''}${text.slice(lineEnd)}`;
}

/** Comments stay, even that of the property: it may be about its neighbors. */
function withoutProperty(text: string, property: Node): string {
  const object = property.parent;
  const siblings = object?.children ?? [];
  const before = siblings[siblings.indexOf(property) - 1];
  const end = property.offset + property.length;
  const objectEnd = object ? object.offset + object.length - 1 : text.length;
  const { comma } = lookAfter(text, end, objectEnd);
  let result = text;
  if (comma !== undefined) result = cutOut(result, comma, comma + 1);
  result = cutOut(result, property.offset, end);
  if (comma === undefined && before) {
    const earlier = lookAfter(text, before.offset + before.length, property.offset).comma;
    if (earlier !== undefined) result = cutOut(result, earlier, earlier + 1);
  }
  return withoutBlankLine(result, comma === undefined && before ? property.offset - 1 : property.offset);
}

/** The comma after a property, and where the comments on its line end. */
function lookAfter(text: string, from: number, to: number): { comma: number | undefined; lineEnd: number } {
  const scanner = createScanner(text.slice(from, to), false);
  let comma: number | undefined;
  let lineEnd = from;
  let sawLineBreak = false;
  for (let token: number = scanner.scan(); token !== TOKEN.end; token = scanner.scan()) {
    if (token === TOKEN.comma) comma ??= from + scanner.getTokenOffset();
    if (token === TOKEN.lineBreak) sawLineBreak = true;
    else if (!sawLineBreak && (token === TOKEN.comma || token === TOKEN.lineComment || token === TOKEN.blockComment)) {
      lineEnd = from + scanner.getTokenOffset() + scanner.getTokenLength();
    }
  }
  return { comma, lineEnd: comma !== undefined && comma >= lineEnd ? comma + 1 : lineEnd };
}

function cutOut(text: string, from: number, to: number): string {
  return text.slice(0, from) + text.slice(to);
}

function withoutBlankLine(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  const end = text.indexOf('\n', offset);
  if (start === 0 || end === -1 || text.slice(start, end).trim() !== '') return text;
  return cutOut(text, start, end + 1);
}

function render(text: string, value: unknown, indent: string): string {
  return (JSON.stringify(value, null, unitOf(text)) ?? 'null').replaceAll('\n', lineEndOf(text) + indent);
}

function indentAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

/** The indentation of one level: that of the first indented line. */
function unitOf(text: string): string {
  const first = /\n([ \t]+)["\]}/]/.exec(text)?.[1] ?? '  ';
  return first.startsWith('\t') ? '\t' : first.slice(0, 8);
}
