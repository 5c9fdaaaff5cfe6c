import type { Node, ParseError } from 'jsonc-parser';
import { lazyModules } from '../lazy-modules.ts';
import { LineIndex } from './line-index.ts';
import { findTooDeep } from './nesting.ts';

/** An issue in a configuration file with its position. Lines and columns start at 1. */
export interface ConfigIssue {
  file: string;
  line: number;
  column: number;
  /** A path such as `agents[0].id`; empty for the file as a whole. */
  field: string;
  problem: string;
}

/** Maximum number of issues reported per file. */
export const ISSUE_LIMIT = 20;
/** Maximum nesting of objects and lists. */
export const CONFIG_DEPTH_LIMIT = 100;

export type ConfigPath = readonly (string | number)[];

/** A configuration file with the positions of its values. */
export interface ConfigDocument {
  file: string;
  positions: LineIndex;
  /** Undefined: the file could not be parsed at all. */
  root: Node | undefined;
}

/**
 * Parses JSON with comments and trailing commas. Broken parts and duplicate keys become issues; the rest is available.
 */
export function parseDocument(file: string, text: string): { document: ConfigDocument; issues: ConfigIssue[] } {
  const positions = new LineIndex(text);
  const tooDeep = findTooDeep(text, CONFIG_DEPTH_LIMIT);
  if (tooDeep !== undefined) {
    const problem = `is nested more than ${CONFIG_DEPTH_LIMIT} levels deep`;
    return {
      document: { file, positions, root: undefined },
      issues: [{ file, ...positions.at(tooDeep), field: '', problem }],
    };
  }
  const { parseTree, printParseErrorCode } = lazyModules.jsonc();
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const document: ConfigDocument = { file, positions, root };
  const issues = errors.slice(0, ISSUE_LIMIT + 1).map((error) => ({
    file,
    ...positions.at(error.offset),
    field: '',
    problem: `is not valid JSON: ${splitCamelCase(printParseErrorCode(error.error))}`,
  }));
  if (root) addRepeatedKeys(document, root, [], issues);
  return { document, issues };
}

/** Position of the value at a path, or of its nearest existing ancestor: the key of a field, the start of an entry. */
export function positionOf(document: ConfigDocument, path: ConfigPath): { line: number; column: number } {
  for (let length = path.length; document.root && length > 0; length -= 1) {
    const node = nodeAt(document.root, path.slice(0, length));
    if (node) return document.positions.at(keyOf(node)?.offset ?? node.offset);
  }
  return document.positions.at(document.root?.offset ?? 0);
}

export function issueAt(document: ConfigDocument, path: ConfigPath, problem: string): ConfigIssue {
  return { file: document.file, ...positionOf(document, path), field: fieldName(path), problem };
}

/** The value at a path as plain data, with arbitrary key names. */
export function valueIn(document: ConfigDocument, path: ConfigPath): unknown {
  const node = document.root && nodeAt(document.root, path);
  return node && plainValue(node);
}

export function fieldName(path: ConfigPath): string {
  return path.reduce<string>((name, key) => {
    if (typeof key === 'number') return `${name}[${key}]`;
    return name === '' ? key : `${name}.${key}`;
  }, '');
}

/** The value as plain data, with arbitrary key names. */
export function plainValue(node: Node): unknown {
  const children = node.children ?? [];
  if (node.type === 'array') return children.map(plainValue);
  if (node.type !== 'object') return node.value;
  // fromEntries defines own properties, so a key named __proto__ is an ordinary key.
  return Object.fromEntries(
    children.flatMap(({ children: [key, value] = [] }) =>
      key && value ? [[String(key.value), plainValue(value)]] : [],
    ),
  );
}

/** The first issues of each file, and a note if there are more. */
export function limitIssues(issues: readonly ConfigIssue[]): ConfigIssue[] {
  const byFile = Map.groupBy(issues, ({ file }) => file);
  return [...byFile].flatMap(([file, all]) => {
    if (all.length <= ISSUE_LIMIT) return all;
    const more = {
      file,
      line: 1,
      column: 1,
      field: '',
      problem: `has more than ${ISSUE_LIMIT} issues; only the first are listed`,
    };
    return [...all.slice(0, ISSUE_LIMIT), more];
  });
}

/** Stops at the reporting limit. */
function addRepeatedKeys(document: ConfigDocument, node: Node, path: ConfigPath, issues: ConfigIssue[]): void {
  const seen = new Set<string>();
  for (const [index, child] of (node.children ?? []).entries()) {
    if (issues.length > ISSUE_LIMIT) return;
    if (node.type === 'array') addRepeatedKeys(document, child, [...path, index], issues);
    const [key, value] = child.children ?? [];
    if (node.type !== 'object' || !key) continue;
    const name = String(key.value);
    if (seen.has(name)) {
      const field = fieldName([...path, name]);
      issues.push({ file: document.file, ...document.positions.at(key.offset), field, problem: 'is a duplicate key' });
    }
    seen.add(name);
    if (value) addRepeatedKeys(document, value, [...path, name], issues);
  }
}

/** Caches the keys of each object, so that a lookup in a large object is not linear. */
const keysOfObjects = new WeakMap<Node, Map<string, Node>>();

function nodeAt(root: Node, path: ConfigPath): Node | undefined {
  let node: Node | undefined = root;
  for (const key of path) {
    if (typeof key === 'number') node = node?.type === 'array' ? node.children?.[key] : undefined;
    else node = node?.type === 'object' ? keysOf(node).get(key) : undefined;
  }
  return node;
}

/** The first key of a name, which is the one an issue refers to. */
function keysOf(object: Node): Map<string, Node> {
  const known = keysOfObjects.get(object);
  if (known) return known;
  const keys = new Map<string, Node>();
  for (const { children: [key, value] = [] } of object.children ?? []) {
    if (key && value && !keys.has(String(key.value))) keys.set(String(key.value), value);
  }
  keysOfObjects.set(object, keys);
  return keys;
}

function keyOf(node: Node): Node | undefined {
  return node.parent?.type === 'property' ? node.parent.children?.[0] : undefined;
}

/** `CloseBraceExpected` as `close brace expected`. */
export function splitCamelCase(code: string): string {
  return code.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();
}
