import type { SummaryLine } from '@agent-mux/core';
import { escapeControls, summarizeQuestion, summarizeRequest } from '@agent-mux/core/light';
import { rowsOf } from '../run/request-rows.ts';
import type { Paint } from '../screen/paint.ts';
import { eventOf } from './event-of.ts';
import type { RequestDetails } from './request-details.ts';

/** The full request as screen rows, followed by the commands that answer it. */
export function requestRows(
  { request, call }: RequestDetails,
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
        ...(always ? [`approve ${id} --always   ${paint.dim(`# ${escapeControls(always.label)}`)}`] : []),
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
  const answers = event.questions.map(() => '"..."').join(' ');
  return [...questions, ...commands(`answer ${id} ${answers}`, `deny ${id}`)];
}
