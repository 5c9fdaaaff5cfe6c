import type { Node, ParseError } from 'jsonc-parser';
import { onDemand } from '../on-demand.ts';
import { LinePlaces } from './line-places.ts';
import { findTooDeep } from './nesting.ts';

/** What is wrong in a configuration file, and exactly where. Lines and columns count from 1. */
export interface ConfigFault {
  file: string;
  line: number;
  column: number;
  /** A path such as `agents[0].id`; empty for the file as a whole. */
  field: string;
  problem: string;
}

/** So many faults of one file are told one by one. */
export const FAULT_LIMIT = 20;
/** Objects and lists within each other: deeper than this nothing is read. */
export const CONFIG_DEPTH_LIMIT = 100;

export type ConfigPath = readonly (string | number)[];

/** A configuration file with the places of its values. */
export interface ConfigDocument {
  file: string;
  places: LinePlaces;
  /** Undefined: nothing in it could be read. */
  root: Node | undefined;
}

/** Reads JSON with comments and trailing commas. What is broken or said twice becomes a fault, the rest is still there. */
export function parseDocument(file: string, text: string): { document: ConfigDocument; faults: ConfigFault[] } {
  const places = new LinePlaces(text);
  const tooDeep = findTooDeep(text, CONFIG_DEPTH_LIMIT);
  if (tooDeep !== undefined) {
    const problem = `is nested more than ${CONFIG_DEPTH_LIMIT} deep`;
    return {
      document: { file, places, root: undefined },
      faults: [{ file, ...places.at(tooDeep), field: '', problem }],
    };
  }
  const { parseTree, printParseErrorCode } = onDemand.jsonc();
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const document: ConfigDocument = { file, places, root };
  const faults = errors.slice(0, FAULT_LIMIT + 1).map((error) => ({
    file,
    ...places.at(error.offset),
    field: '',
    problem: `is not valid JSON: ${inWords(printParseErrorCode(error.error))}`,
  }));
  if (root) addRepeatedKeys(document, root, [], faults);
  return { document, faults };
}

/** Where the value of a path stands, or its nearest ancestor that is there: the key of a field, the start of an entry. */
export function locate(document: ConfigDocument, path: ConfigPath): { line: number; column: number } {
  for (let length = path.length; document.root && length > 0; length -= 1) {
    const node = nodeAt(document.root, path.slice(0, length));
    if (node) return document.places.at(keyOf(node)?.offset ?? node.offset);
  }
  return document.places.at(document.root?.offset ?? 0);
}

export function faultAt(document: ConfigDocument, path: ConfigPath, problem: string): ConfigFault {
  return { file: document.file, ...locate(document, path), field: fieldName(path), problem };
}

/** The value at a path as plain data, whatever its keys are called. */
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

/** As plain data, whatever its keys are called. */
export function plainValue(node: Node): unknown {
  const children = node.children ?? [];
  if (node.type === 'array') return children.map(plainValue);
  if (node.type !== 'object') return node.value;
  // fromEntries defines own properties, so a key called __proto__ is a key like any other.
  return Object.fromEntries(
    children.flatMap(({ children: [key, value] = [] }) =>
      key && value ? [[String(key.value), plainValue(value)]] : [],
    ),
  );
}

/** The first faults of each file; of the others how many there are. */
export function takeFirstFaults(faults: readonly ConfigFault[]): ConfigFault[] {
  const byFile = Map.groupBy(faults, ({ file }) => file);
  return [...byFile].flatMap(([file, all]) => {
    if (all.length <= FAULT_LIMIT) return all;
    const more = {
      file,
      line: 1,
      column: 1,
      field: '',
      problem: `has more than ${FAULT_LIMIT} faults; these are the first`,
    };
    return [...all.slice(0, FAULT_LIMIT), more];
  });
}

/** No more than are told. */
function addRepeatedKeys(document: ConfigDocument, node: Node, path: ConfigPath, faults: ConfigFault[]): void {
  const seen = new Set<string>();
  for (const [index, child] of (node.children ?? []).entries()) {
    if (faults.length > FAULT_LIMIT) return;
    if (node.type === 'array') addRepeatedKeys(document, child, [...path, index], faults);
    const [key, value] = child.children ?? [];
    if (node.type !== 'object' || !key) continue;
    const name = String(key.value);
    if (seen.has(name)) {
      const field = fieldName([...path, name]);
      faults.push({ file: document.file, ...document.places.at(key.offset), field, problem: 'is given twice' });
    }
    seen.add(name);
    if (value) addRepeatedKeys(document, value, [...path, name], faults);
  }
}

/** Of an object with many keys, each is looked for among all of them only once. */
const keysOfObjects = new WeakMap<Node, Map<string, Node>>();

function nodeAt(root: Node, path: ConfigPath): Node | undefined {
  let node: Node | undefined = root;
  for (const key of path) {
    if (typeof key === 'number') node = node?.type === 'array' ? node.children?.[key] : undefined;
    else node = node?.type === 'object' ? keysOf(node).get(key) : undefined;
  }
  return node;
}

/** The first of a name, as it is the one that a fault is about. */
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
export function inWords(code: string): string {
  return code.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();
}
