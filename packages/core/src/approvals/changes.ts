import { isRecord } from '../values.ts';

export interface ChangedLine {
  sign: '+' | '-' | ' ';
  text: string;
}

interface Change {
  /** Input fields the change was built from. */
  fields: readonly string[];
  lines: ChangedLine[];
}

/** Field names agents use for an edit: old text, new text. */
const REPLACEMENTS = [
  ['old_string', 'new_string'],
  ['oldString', 'newString'],
  ['oldText', 'newText'],
  ['old_str', 'new_str'],
] as const;
const CONTENTS = ['content', 'file_text', 'contents'];
const PATCHES = ['diff', 'patch', 'unified_diff'];
const PATHS = ['file_path', 'filePath', 'path', 'absolute_path'];

/** The change that these fields of a tool's input describe, with its context lines; undefined if none. */
export function changeOf(input: Readonly<Record<string, unknown>>): Change | undefined {
  for (const [before, after] of REPLACEMENTS) {
    const [old, fresh] = [input[before], input[after]];
    if (typeof old !== 'string' && typeof fresh !== 'string') continue;
    const fields = [before, after].filter((name) => typeof (input[name] ?? '') === 'string');
    return { fields, lines: diffTexts(textOf(old), textOf(fresh)) };
  }
  for (const name of PATCHES) {
    const patch = input[name];
    if (typeof patch === 'string') return { fields: [name], lines: linesOf(patch).map(readPatchLine) };
  }
  // A path with content is a file write.
  if (pathOf(input) === undefined) return undefined;
  for (const name of CONTENTS) {
    const content = input[name];
    if (typeof content === 'string') return { fields: [name], lines: diffTexts('', content) };
  }
  return undefined;
}

export function pathOf(input: unknown): string | undefined {
  if (!isRecord(input)) return undefined;
  return PATHS.map((name) => input[name]).find((path) => typeof path === 'string');
}

/** Headers have their own sign and are not changed lines. */
function readPatchLine(line: string): ChangedLine {
  if (/^(\+\+\+|---)( |$)/.test(line)) return { sign: ' ', text: line };
  if (line.startsWith('+')) return { sign: '+', text: line.slice(1) };
  if (line.startsWith('-')) return { sign: '-', text: line.slice(1) };
  return { sign: ' ', text: line };
}

function diffTexts(before: string, after: string): ChangedLine[] {
  // Adding or removing the newline at the end is a change too.
  const exact = before !== '' && before.endsWith('\n') !== after.endsWith('\n');
  const old = before === '' ? [] : exact ? before.split('\n') : linesOf(before);
  const fresh = after === '' ? [] : exact ? after.split('\n') : linesOf(after);
  let head = 0;
  while (head < old.length && head < fresh.length && old[head] === fresh[head]) head += 1;
  let tail = 0;
  while (tail < old.length - head && tail < fresh.length - head && old.at(-1 - tail) === fresh.at(-1 - tail)) tail += 1;
  const signed = (sign: ChangedLine['sign'], lines: readonly string[]) => lines.map((text) => ({ sign, text }));
  return [
    ...signed(' ', old.slice(0, head)),
    ...signed('-', old.slice(head, old.length - tail)),
    ...signed('+', fresh.slice(head, fresh.length - tail)),
    ...signed(' ', old.slice(old.length - tail)),
  ];
}

/** Lines of a patch or a file, without the empty one after the last newline. */
function linesOf(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
