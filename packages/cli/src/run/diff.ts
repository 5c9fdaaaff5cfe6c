import { printable } from '../screen/plain.ts';
import { isRecord } from './summaries.ts';

/** So much of a change is shown; the rest is counted. */
export const SHOWN_DIFF_LINES = 12;

export interface DiffLine {
  sign: '+' | '-' | ' ';
  text: string;
}

/** The names under which agents give an edit: what was there, what shall be there. */
const REPLACEMENTS = [
  ['old_string', 'new_string'],
  ['oldString', 'newString'],
  ['oldText', 'newText'],
  ['old_str', 'new_str'],
] as const;
const CONTENTS = ['content', 'file_text', 'contents'];
const PATCHES = ['diff', 'patch', 'unified_diff'];
const PATHS = ['file_path', 'filePath', 'path', 'absolute_path'];

/** The change that a tool's input describes; empty where it describes none. */
export function diffOfInput(input: unknown): DiffLine[] {
  if (!isRecord(input)) return [];
  if (Array.isArray(input.edits)) return input.edits.flatMap(diffOfInput);
  for (const [before, after] of REPLACEMENTS) {
    const old = input[before];
    const fresh = input[after];
    if (typeof old === 'string' || typeof fresh === 'string') return replacement(textOf(old), textOf(fresh));
  }
  for (const name of PATCHES) {
    const patch = input[name];
    if (typeof patch === 'string') return diffOfPatch(patch);
  }
  // Something with a path and a content is a file that is written.
  if (!PATHS.some((name) => typeof input[name] === 'string')) return [];
  for (const name of CONTENTS) {
    const content = input[name];
    if (typeof content === 'string') return replacement('', content);
  }
  return [];
}

/** The changed lines of a unified diff. */
export function diffOfPatch(patch: string): DiffLine[] {
  return linesOf(patch).flatMap((line): DiffLine[] => {
    if (/^(\+\+\+|---)( |$)/.test(line)) return [];
    if (line.startsWith('+')) return [{ sign: '+', text: line.slice(1) }];
    if (line.startsWith('-')) return [{ sign: '-', text: line.slice(1) }];
    return [];
  });
}

function replacement(before: string, after: string): DiffLine[] {
  const old = linesOf(before);
  const fresh = linesOf(after);
  let head = 0;
  while (head < old.length && head < fresh.length && old[head] === fresh[head]) head += 1;
  let tail = 0;
  while (tail < old.length - head && tail < fresh.length - head && old.at(-1 - tail) === fresh.at(-1 - tail)) tail += 1;
  return [
    ...old.slice(head, old.length - tail).map((text): DiffLine => ({ sign: '-', text })),
    ...fresh.slice(head, fresh.length - tail).map((text): DiffLine => ({ sign: '+', text })),
  ];
}

function linesOf(text: string): string[] {
  const lines = printable(text).split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
