import type { FileChange, ToolItem } from '../../data/items.ts';
import { isPicture } from '../../parts/attachments.logic.ts';

/** What a tool call is about, in a line: the command, the file, the words that are looked for. */
export function subjectOf({ input, partialInput, name }: Pick<ToolItem, 'input' | 'partialInput' | 'name'>): string {
  if (typeof input === 'string') return firstLine(input);
  if (typeof input !== 'object' || input === null) return firstLine(partialInput) || name;
  const fields: Readonly<Record<string, unknown>> = { ...input };
  for (const field of SUBJECTS) {
    const value = fields[field];
    if (typeof value === 'string' && value !== '') return firstLine(value);
    if (Array.isArray(value) && value.every((part) => typeof part === 'string')) return firstLine(value.join(' '));
  }
  const first = Object.values(fields).find((value) => typeof value === 'string' && value !== '');
  return typeof first === 'string' ? firstLine(first) : pathsIn(fields).join(', ') || name;
}

/** Of a call that is about several files. */
function pathsIn(fields: Fields): string[] {
  return editsIn(fields).flatMap(({ path, file_path }) => [path, file_path].filter((each) => typeof each === 'string'));
}

type Fields = Readonly<Record<string, unknown>>;

function editsIn({ edits, changes }: Fields): Fields[] {
  return [edits, changes].flatMap((list) => (Array.isArray(list) ? list.filter(isFields) : []));
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** By the names that agents give them, the most telling first. */
const SUBJECTS = [
  'command',
  'commands',
  'cmd',
  'file_path',
  'filePath',
  'path',
  'pattern',
  'query',
  'url',
  'description',
  'prompt',
  'name',
];

/** Of anything that a tool was given or has returned. What was too long to keep says so, and how to have it. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if (Array.isArray(value))
    return value
      .map(textOf)
      .filter((text) => text !== '')
      .join('\n');
  if (pictureOf(value)) return '';
  if (typeof value === 'object' && 'text' in value && typeof value.text === 'string') return value.text;
  return JSON.stringify(value, null, 2);
}

export interface Picture {
  mimeType: string;
  base64: string;
}

/** What a tool has shown, in the ways in which MCP and the vendors' APIs say it. */
export function picturesOf(output: unknown): Picture[] {
  return (Array.isArray(output) ? output : [output]).flatMap((part) => pictureOf(part) ?? []);
}

function pictureOf(value: unknown): Picture | null {
  if (!isFields(value) || value.type !== 'image') return null;
  const held: Fields = isFields(value.source) ? value.source : value;
  const mimeType = held.mimeType ?? held.media_type;
  const { data } = held;
  if (typeof mimeType !== 'string' || typeof data !== 'string' || !isPicture(mimeType)) return null;
  return { mimeType, base64: data };
}

/** The hash of what stands elsewhere since it is long. */
export function blobOf(value: unknown): { sha256: string; chars: number; preview: string } | null {
  if (typeof value !== 'object' || value === null || !('$blob' in value)) return null;
  const { $blob: blob } = value;
  if (typeof blob !== 'object' || blob === null || !('sha256' in blob) || !('preview' in blob)) return null;
  const chars = 'chars' in blob && typeof blob.chars === 'number' ? blob.chars : 0;
  return { sha256: String(blob.sha256), chars, preview: String(blob.preview) };
}

export interface DiffLine {
  kind: 'added' | 'removed' | 'same' | 'head';
  text: string;
}

/** What an edit changes: as the agent tells it, else as its input says. */
export function diffOf({ changes, input, toolKind }: Pick<ToolItem, 'changes' | 'input' | 'toolKind'>): DiffLine[] {
  const told = changes.filter((change): change is FileChange & { diff: string } => change.diff !== undefined);
  if (told.length > 0) return told.flatMap(({ diff }) => diffLines(diff));
  if (toolKind !== 'edit' || !isFields(input)) return [];
  const edits = editsIn(input);
  if (edits.length > 0) return edits.flatMap(editLines);
  return editLines(input);
}

/** By the names that agents give them. */
const BEFORE = ['old_string', 'oldString', 'old_str', 'oldText', 'old_text'];
const AFTER = ['new_string', 'newString', 'new_str', 'newText', 'new_text'];
const WHOLE = ['content', 'contents', 'file_text', 'new_content'];
const PATCH = ['diff', 'patch'];

function editLines(fields: Fields): DiffLine[] {
  const find = (names: readonly string[]) =>
    names.map((name) => fields[name]).find((value) => typeof value === 'string');
  const [before, after, whole, patch] = [BEFORE, AFTER, WHOLE, PATCH].map(find);
  if (patch !== undefined) return diffLines(patch);
  if (before !== undefined || after !== undefined)
    return [...mark('removed', before ?? ''), ...mark('added', after ?? '')];
  return mark('added', whole ?? '');
}

/** A file that is new is told by some agents without the marks of a diff. */
export function diffLines(diff: string): DiffLine[] {
  const lines = diff.replace(/\n$/, '').split('\n');
  if (lines.some((line) => !/^(?:[-+ @\\]|diff |index |\*\*\* |$)/.test(line))) return mark('added', diff);
  return lines
    .filter((line) => !/^(?:---|\+\+\+|diff |index |\\)/.test(line))
    .map((line) => {
      if (/^(?:@@|\*\*\* )/.test(line)) return { kind: 'head', text: line };
      if (line.startsWith('+')) return { kind: 'added', text: line.slice(1) };
      return line.startsWith('-') ? { kind: 'removed', text: line.slice(1) } : { kind: 'same', text: line.slice(1) };
    });
}

function mark(kind: 'added' | 'removed', text: string): DiffLine[] {
  if (text === '') return [];
  return text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => ({ kind, text: line }));
}

function firstLine(text: string): string {
  const [line = ''] = text.trim().split('\n', 1);
  return line;
}
