import type { SessionEvent } from '@agent-mux/api';
import { isRecord } from '@agent-mux/core/light';
import { summarizeInput, summarizeOutput } from '../run/summaries.ts';
import { paint } from '../screen/paint.ts';
import { toOneLine } from '../screen/plain.ts';
import { clockTime } from '../screen/time.ts';
import { columnsOf, cutToWidth } from '../screen/width.ts';

const TYPE_WIDTH = 18;
/** Envelope fields and fields of no interest to a reader. */
const HIDDEN_FIELDS = new Set([
  'type',
  'agent',
  'runId',
  'sessionId',
  'turnIndex',
  'seq',
  'timestamp',
  'raw',
  'messageId',
]);

/** `  42  15:29:16  tool_call_ready    Write hello.txt`, cut to the terminal width. */
export function eventLine(event: SessionEvent): string {
  const { dim, cyan } = paint(process.stdout);
  const head = `${String(event.seq).padStart(5)}  ${clockTime(event.timestamp).slice(-8)}  `;
  const type = event.type.padEnd(TYPE_WIDTH);
  const space = process.stdout.isTTY ? Math.max(20, columnsOf(process.stdout) - head.length - type.length - 1) : 500;
  const paintType = event.type === 'user_message' ? cyan : (text: string) => text;
  return `${dim(head)}${paintType(type)} ${cutToWidth(toOneLine(summaryOf(event), 1000), space)}`.trimEnd();
}

function summaryOf(event: SessionEvent): string {
  switch (event.type) {
    case 'text_delta':
    case 'thinking_delta':
      return event.delta;
    case 'user_message':
      return event.text;
    case 'tool_call_ready':
      return `${event.toolName} ${summarizeInput(event.input, 300)}`;
    case 'tool_result':
      return `${event.toolName} → ${summarizeOutput(event.output, 300)}`;
    case 'approval_request':
      return event.title;
    case 'input_required':
      return event.questions.map(({ question }) => question).join(' · ');
    case 'run_result':
      return event.exitReason;
    default:
      return restOf(event);
  }
}

function restOf(event: object): string {
  return Object.entries(event)
    .filter(([name, value]) => !HIDDEN_FIELDS.has(name) && value !== undefined && value !== null)
    .map(([name, value]) => `${name}=${isRecord(value) || Array.isArray(value) ? JSON.stringify(value) : value}`)
    .join(' ');
}
