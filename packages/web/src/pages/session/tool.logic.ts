import type { FileChange, ToolItem } from '../../data/items.ts';

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
  return typeof first === 'string' ? firstLine(first) : name;
}

/** By the names that agents give them, the most telling first. */
const SUBJECTS = [
  'command',
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
  if (Array.isArray(value)) return value.map(textOf).join('\n');
  if (typeof value === 'object' && 'text' in value && typeof value.text === 'string') return value.text;
  return JSON.stringify(value, null, 2);
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
export function diffOf({ changes, input }: Pick<ToolItem, 'changes' | 'input'>): DiffLine[] {
  const told = changes.filter((change): change is FileChange & { diff: string } => change.diff !== undefined);
  if (told.length > 0) return told.flatMap(({ diff }) => diffLines(diff));
  if (typeof input !== 'object' || input === null) return [];
  const { old_string: before, new_string: after }: { old_string?: unknown; new_string?: unknown } = input;
  if (typeof before === 'string' && typeof after === 'string')
    return [...mark('removed', before), ...mark('added', after)];
  const { content }: { content?: unknown } = input;
  return typeof content === 'string' && changes.some(({ change }) => change === 'create') ? mark('added', content) : [];
}

export function diffLines(diff: string): DiffLine[] {
  return diff
    .replace(/\n$/, '')
    .split('\n')
    .filter((line) => !/^(?:---|\+\+\+|diff |index )/.test(line))
    .map((line) => {
      if (line.startsWith('@@')) return { kind: 'head', text: line };
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
