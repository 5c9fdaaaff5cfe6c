import { findNodeAtLocation, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';

/** What is wrong in a configuration file, and exactly where. Lines and columns count from 1. */
export interface ConfigFault {
  file: string;
  line: number;
  column: number;
  /** A path such as `agents[0].id`; empty for the file as a whole. */
  field: string;
  problem: string;
}

export type ConfigPath = readonly (string | number)[];

/** A configuration file with the places of its values. */
export interface ConfigDocument {
  file: string;
  text: string;
  /** Undefined: nothing in it could be read. */
  root: Node | undefined;
}

/** Reads JSON with comments and trailing commas. What is broken or said twice becomes a fault, the rest is still there. */
export function parseDocument(file: string, text: string): { document: ConfigDocument; faults: ConfigFault[] } {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const document: ConfigDocument = { file, text, root };
  const faults = errors.map((error) => ({
    file,
    ...positionAt(text, error.offset),
    field: '',
    problem: `is not valid JSON: ${inWords(printParseErrorCode(error.error))}`,
  }));
  if (root) faults.push(...repeatedKeys(document, root, []));
  return { document, faults };
}

/** Where the value of a path stands, or its nearest ancestor that is there: the key of a field, the start of an entry. */
export function locate(document: ConfigDocument, path: ConfigPath): { line: number; column: number } {
  for (let length = path.length; document.root && length > 0; length -= 1) {
    const node = findNodeAtLocation(document.root, path.slice(0, length));
    if (node) return positionAt(document.text, keyOf(node)?.offset ?? node.offset);
  }
  return positionAt(document.text, document.root?.offset ?? 0);
}

export function faultAt(document: ConfigDocument, path: ConfigPath, problem: string): ConfigFault {
  return { file: document.file, ...locate(document, path), field: fieldName(path), problem };
}

/** The value at a path as plain data, whatever its keys are called. */
export function valueIn(document: ConfigDocument, path: ConfigPath): unknown {
  const node = document.root && (path.length === 0 ? document.root : findNodeAtLocation(document.root, [...path]));
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

function repeatedKeys(document: ConfigDocument, node: Node, path: ConfigPath): ConfigFault[] {
  const seen = new Set<string>();
  return (node.children ?? []).flatMap((child, index) => {
    if (node.type === 'array') return repeatedKeys(document, child, [...path, index]);
    const [key, value] = child.children ?? [];
    if (node.type !== 'object' || !key) return [];
    const name = String(key.value);
    const below = value ? repeatedKeys(document, value, [...path, name]) : [];
    if (!seen.has(name)) {
      seen.add(name);
      return below;
    }
    const place = positionAt(document.text, key.offset);
    return [{ file: document.file, ...place, field: fieldName([...path, name]), problem: 'is given twice' }, ...below];
  });
}

function keyOf(node: Node): Node | undefined {
  return node.parent?.type === 'property' ? node.parent.children?.[0] : undefined;
}

function positionAt(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
}

/** `CloseBraceExpected` as `close brace expected`. */
export function inWords(code: string): string {
  return code.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();
}
