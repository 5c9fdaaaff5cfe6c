import type { SessionEvent } from '@agent-mux/api';
import { isRecord, stripSequences } from '@agent-mux/core';
import { isProjected } from './projected-events.ts';

const LONGEST = 160;
/** More of a line is not looked at: it may be full of sequences that are not shown. */
const READ = LONGEST * 4;
/** Fields that say best what a tool is about, in the order of asking. */
const TELLING = ['command', 'cmd', 'file_path', 'filePath', 'path', 'pattern', 'query', 'url', 'description', 'prompt'];

/** What the session did last, in a line; undefined: nothing that is worth one. Text is told by whoever collects it. */
export function describeEvent(event: SessionEvent): string | undefined {
  if (!isProjected(event)) return undefined;
  switch (event.type) {
    case 'tool_call_ready':
    case 'mcp_tool_call_start':
      return toLine(`${event.toolName} ${tellingPart(event.input)}`);
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
      return toLine(`tries again: ${event.reason}`);
    default:
      return undefined;
  }
}

/** The last line of a text that has one. */
export function lastLineOf(text: string): string | undefined {
  const lines = new LastLine();
  lines.add(text);
  return lines.value;
}

/** The last line with anything in it, of a text that arrives in pieces. Only the start of a line is stored. */
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
    const room = READ - this.#arriving.length;
    if (room === 0) return;
    this.#arriving += text.slice(0, room);
    if (this.#arriving.trim() !== '') this.#line = this.#arriving;
  }
}

/** The first line of what was asked, for a title. */
export function titleOf(prompt: string): string | null {
  const line = prompt.slice(0, 2000).trim().split('\n', 1)[0] ?? '';
  return toLine(line).slice(0, 100) || null;
}

/** Without control characters, in one line that is not long. */
export function toLine(text: string): string {
  const plain = stripSequences(text.slice(0, READ))
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim();
  return plain.length > LONGEST ? `${plain.slice(0, LONGEST - 1)}…` : plain;
}

function tellingPart(input: unknown): string {
  if (typeof input === 'string') return input;
  if (!isRecord(input)) return '';
  const found = TELLING.map((name) => input[name]).find((value) => typeof value === 'string');
  return typeof found === 'string' ? found : '';
}
