import type { SessionEvent } from '@agent-mux/api';
import { isRecord, stripSequences } from '@agent-mux/core';

const LONGEST = 160;
/** Fields that say best what a tool is about, in the order of asking. */
const TELLING = ['command', 'cmd', 'file_path', 'filePath', 'path', 'pattern', 'query', 'url', 'description', 'prompt'];

/** What the session did last, in a line; undefined: nothing that is worth one. Text is told by whoever collects it. */
export function describeEvent(event: SessionEvent): string | undefined {
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
  const line = toLine(text.slice(-2000).trimEnd().split('\n').at(-1) ?? '');
  return line === '' ? undefined : line;
}

/** The first line of what was asked, for a title. */
export function titleOf(prompt: string): string | null {
  const line = prompt.slice(0, 2000).trim().split('\n', 1)[0] ?? '';
  return toLine(line).slice(0, 100) || null;
}

/** Without control characters, in one line that is not long. */
export function toLine(text: string): string {
  const plain = stripSequences(text.slice(0, LONGEST * 4))
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
