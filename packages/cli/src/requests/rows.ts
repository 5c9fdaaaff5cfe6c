import type { Request } from '@agent-mux/api';
import {
  AgentMuxError,
  type ApprovalRequest,
  findEventFault,
  type InputRequest,
  isRecord,
  makeVisible,
  type SummaryLine,
  summarizeQuestion,
  summarizeRequest,
} from '@agent-mux/core';
import { rowsOf } from '../run/request-rows.ts';
import type { Paint } from '../screen/paint.ts';
import { toOneLine } from '../screen/plain.ts';
import type { Asked } from './asked.ts';

/** The event that the request was made of. */
export function eventOf({ event, id }: Request): ApprovalRequest | InputRequest {
  const asked: unknown = event;
  if (isRequest(asked)) return asked;
  throw new AgentMuxError('PROTOCOL_ERROR', `request ${id} is none that this amux understands`, {
    hint: 'is the daemon of another version? amux status says so; amux down, and the next command starts this one',
  });
}

function isRequest(event: unknown): event is ApprovalRequest | InputRequest {
  const isAsked = isRecord(event) && (event.type === 'approval_request' || event.type === 'input_required');
  return isAsked && findEventFault(event) === undefined;
}

/** What it asks for, in a line. */
export function titleOfRequest(request: Request): string {
  const event = eventOf(request);
  if (event.type === 'approval_request') return toOneLine(summarizeRequest(event).title, 300);
  return toOneLine(event.questions.map(({ question }) => makeVisible(question)).join(' · '), 300);
}

/** All of it, as rows of the screen, and below it the commands that answer it. */
export function requestRows(
  { request, call }: Asked,
  { paint, width, amux, id }: { paint: Paint; width: number; amux: string; id: string },
): string[] {
  const event = eventOf(request);
  const screen = { paint, width };
  const commands = (...lines: string[]) => lines.map((line) => `    ${paint.cyan(`${amux} ${line}`)}`);
  if (event.type === 'approval_request') {
    const { title, about, lines, options } = summarizeRequest(event, call);
    const always = options.find(({ kind }) => kind === 'allow_always');
    return [
      `  ${paint.bold(title)} ${paint.dim(`(${about})`)}`,
      ...rowsOf(lines, screen),
      ...commands(
        `approve ${id}`,
        ...(always ? [`approve ${id} --always   ${paint.dim(`# ${makeVisible(always.label)}`)}`] : []),
        `deny ${id} "..."`,
      ),
    ];
  }
  const questions = event.questions.flatMap((question) => {
    const { lines, options } = summarizeQuestion(question);
    const choices = options.map(
      ({ label, description }, at): SummaryLine => ({
        kind: 'field',
        text: `[${at + 1}] ${label}${description ? ` · ${description}` : ''}`,
      }),
    );
    return [...rowsOf(lines, screen, { first: '  ', style: paint.bold }), ...rowsOf(choices, screen)];
  });
  const words = event.questions.map(() => '"..."').join(' ');
  return [...questions, ...commands(`answer ${id} ${words}`, `deny ${id}`)];
}
