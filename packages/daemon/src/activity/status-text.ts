import type { SessionEvent } from '@agent-mux/api';
import { isRecord, stripSequences } from '@agent-mux/core';
import { isProjected } from './projected-events.ts';

const MAX_LINE_CHARS = 160;
/** The rest of a line is not read: it may consist of control sequences that are not shown. */
const MAX_READ_CHARS = MAX_LINE_CHARS * 4;
/** Input fields that describe a tool call best, in order of preference. */
const DESCRIPTIVE = [
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
];

/** The status line of an event; undefined if it has none. Text is collected by the projector. */
export function describeEvent(event: SessionEvent): string | undefined {
  if (!isProjected(event)) return undefined;
  switch (event.type) {
    case 'tool_call_ready':
    case 'mcp_tool_call_start':
      return toLine(`${event.toolName} ${describeInput(event.input)}`);
    case 'approval_request':
      return toLine(`asks: ${event.title}`);
    case 'input_required':
      return toLine(`asks: ${event.questions[0]?.question ?? ''}`);
    case 'thinking_start':
      return 'thinking';
    case 'auth_error':
    case 'rate_limit_error':
    case 'context_exceeded':
    case 'error':
    case 'crash':
    case 'timeout':
    case 'keeper_lost':
      return toLine(event.message);
    case 'retry':
      return toLine(`retrying: ${event.reason}`);
    default:
      return undefined;
  }
}

/** The last non-empty line of a text. */
export function lastLineOf(text: string): string | undefined {
  const lines = new LastLine();
  lines.add(text);
  return lines.value;
}

/** The last non-empty line of a text that arrives in chunks. Only the start of a line is stored. */
export class LastLine {
  #line = '';
  #arriving = '';

  add(text: string): void {
    for (let from = 0; ; ) {
      const end = text.indexOf('\n', from);
      this.#append(text.slice(from, end === -1 ? undefined : end));
      if (end === -1) return;
      this.#arriving = '';
      from = end + 1;
    }
  }

  get value(): string | undefined {
    return toLine(this.#line) || undefined;
  }

  #append(text: string): void {
    const available = MAX_READ_CHARS - this.#arriving.length;
    if (available === 0) return;
    this.#arriving += text.slice(0, available);
    if (this.#arriving.trim() !== '') this.#line = this.#arriving;
  }
}

/** The first line of a prompt, as a title. */
export function titleOf(prompt: string): string | null {
  const line = prompt.slice(0, 2000).trim().split('\n', 1)[0] ?? '';
  return toLine(line).slice(0, 100) || null;
}

/** One line of limited length, without control characters. */
export function toLine(text: string): string {
  const plain = stripSequences(text.slice(0, MAX_READ_CHARS))
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim();
  return plain.length > MAX_LINE_CHARS ? `${plain.slice(0, MAX_LINE_CHARS - 1)}…` : plain;
}

function describeInput(input: unknown): string {
  if (typeof input === 'string') return input;
  if (!isRecord(input)) return '';
  const found = DESCRIPTIVE.map((name) => input[name]).find((value) => typeof value === 'string');
  return typeof found === 'string' ? found : '';
}
