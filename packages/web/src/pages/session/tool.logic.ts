import { isImage } from '../../components/attachments.logic.ts';
import type { FileChange, ToolItem } from '../../data/items.ts';

/** One-line subject of a tool call: the command, the file, the search query. */
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

/** Paths of a call that edits several files. */
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

/** Field names that agents use, most specific first. */
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

/** Text of a tool's input or output. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if (Array.isArray(value))
    return value
      .map(textOf)
      .filter((text) => text !== '')
      .join('\n');
  if (imageOf(value)) return '';
  if (typeof value === 'object' && 'text' in value && typeof value.text === 'string') return value.text;
  return JSON.stringify(value, null, 2);
}

export interface ToolImage {
  mimeType: string;
  base64: string;
}

/** Images in a tool's output, in the formats of MCP and the provider APIs. */
export function imagesOf(output: unknown): ToolImage[] {
  return (Array.isArray(output) ? output : [output]).flatMap((part) => imageOf(part) ?? []);
}

function imageOf(value: unknown): ToolImage | null {
  if (!isFields(value) || value.type !== 'image') return null;
  const source: Fields = isFields(value.source) ? value.source : value;
  const mimeType = source.mimeType ?? source.media_type;
  const { data } = source;
  if (typeof mimeType !== 'string' || typeof data !== 'string' || !isImage(mimeType)) return null;
  return { mimeType, base64: data };
}

/** Reference to a long value that the daemon stores separately. */
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

/** Diff of an edit: as reported by the agent, else derived from its input. */
export function diffOf({ changes, input, toolKind }: Pick<ToolItem, 'changes' | 'input' | 'toolKind'>): DiffLine[] {
  const reported = changes.filter((change): change is FileChange & { diff: string } => change.diff !== undefined);
  if (reported.length > 0) return reported.flatMap(({ diff }) => diffLines(diff));
  if (toolKind !== 'edit' || !isFields(input)) return [];
  const edits = editsIn(input);
  if (edits.length > 0) return edits.flatMap(editLines);
  return editLines(input);
}

/** Field names that agents use. */
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

/** Parses a diff. Some agents report a new file as plain content without diff markers. */
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
