import { escapeControls, isRecord, toJson } from '@agent-mux/core/light';
import { cut, toOneLine } from '../screen/plain.ts';

/** The most informative fields of a tool's input, best first; agents use these names. */
const INFORMATIVE_FIELDS = [
  'command',
  'cmd',
  'file_path',
  'filePath',
  'path',
  'absolute_path',
  'notebook_path',
  'pattern',
  'query',
  'url',
  'resource',
  'description',
  'prompt',
  'name',
];

/** Summarizes a tool's input. Removes nothing from the value: a command could otherwise look like another one. */
export function summarizeInput(input: unknown, width: number): string {
  if (typeof input === 'string') return inOneLine(input, width);
  if (!isRecord(input)) return '';
  for (const field of INFORMATIVE_FIELDS) {
    const value = input[field];
    if (typeof value === 'string' && value.trim() !== '') return inOneLine(value, width);
    if (Array.isArray(value) && value.every((part) => typeof part === 'string') && value.length > 0) {
      return inOneLine(value.join(' '), width);
    }
  }
  return Object.keys(input).length > 0 ? inOneLine(toJson(input), width) : '';
}

function inOneLine(text: string, width: number): string {
  return cut(escapeControls(text.replace(/[ \n\t]+/g, ' ').trim()), width);
}

/** Summarizes a tool's output: its first line and the number of further lines. */
export function summarizeOutput(output: unknown, width: number): string {
  const text = outputText(output);
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const [first = ''] = lines;
  if (first === '') return 'done';
  const more = lines.length > 1 ? ` (+${lines.length - 1} line${lines.length > 2 ? 's' : ''})` : '';
  return toOneLine(first, Math.max(10, width - more.length)) + more;
}

function outputText(output: unknown): string {
  if (typeof output === 'string') return output;
  if (output === null || output === undefined) return '';
  if (Array.isArray(output)) {
    if (output.every((entry) => typeof entry === 'string')) return output.join(', ') || 'nothing';
    const texts = output.flatMap((entry) => (isRecord(entry) && typeof entry.text === 'string' ? [entry.text] : []));
    if (texts.length > 0) return texts.join('\n');
  }
  if (isRecord(output)) {
    for (const field of ['output', 'stdout', 'text', 'content', 'result', 'message']) {
      const value = output[field];
      if (typeof value === 'string' && value.trim() !== '') return value;
      if (field === 'content' && Array.isArray(value)) return outputText(value);
    }
  }
  return toJson(output);
}
