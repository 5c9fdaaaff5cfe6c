import type { Answer, Remember, Request } from '@agent-mux/api';
import type { ApprovalRequest, Question } from '@agent-mux/core';
import { answerOutside, readAnswer } from '../run/read-answer.ts';
import { UsageError } from '../usage-error.ts';
import { eventOf } from './event-of.ts';

/** Only offered answers are valid; others are rejected before they are sent. */
export function allowAnswer(
  request: Request,
  { option, always, remember }: { option?: string; always: boolean; remember?: Remember },
): Answer {
  const event = eventOf(request);
  if (event.type !== 'approval_request') {
    throw new UsageError(
      'this request is a question, not an approval',
      `run "amux answer ${request.id.slice(0, 8)} TEXT"`,
    );
  }
  if (always) {
    const found = event.options.find(({ kind }) => kind === 'allow_always');
    if (!found) throw new UsageError('the agent does not offer to remember this', 'omit --always');
    return { decision: 'allow', optionId: found.id };
  }
  return {
    decision: 'allow',
    ...(option === undefined ? {} : { optionId: offered(event, option, 'allow') }),
    ...(remember ? { remember } : {}),
  };
}

export function denyAnswer(
  request: Request,
  { reason, option, remember }: { reason: string; option?: string; remember?: Remember },
): Answer {
  const event = eventOf(request);
  if (event.type !== 'approval_request') {
    if (remember) throw new UsageError('declining a question cannot be remembered', 'omit --remember');
    return { decision: 'decline' };
  }
  return {
    decision: 'deny',
    ...(option === undefined ? {} : { optionId: offered(event, option, 'deny') }),
    ...(reason === '' ? {} : { message: reason }),
    ...(remember ? { remember } : {}),
  };
}

function offered({ options }: ApprovalRequest, wanted: string, kind: 'allow' | 'deny'): string {
  const fitting = options.filter((option) => option.kind.startsWith(kind));
  const found = fitting.find(({ id, label }) => id === wanted || label === wanted);
  if (found) return found.id;
  const known = fitting.map(({ id, label }) => `${id} (${label})`).join(', ');
  throw new UsageError(`the agent does not offer "${wanted}"`, known ? `use one of: ${known}` : undefined);
}

/** A single question takes all arguments; several questions take one each. */
export function questionAnswer(request: Request, texts: readonly string[]): Answer {
  const event = eventOf(request);
  if (event.type !== 'input_required') {
    const id = request.id.slice(0, 8);
    throw new UsageError(
      'this request is an approval, not a question',
      `run "amux approve ${id}" or "amux deny ${id}"`,
    );
  }
  const { questions } = event;
  const parts = questions.length === 1 ? [texts.join(' ')] : texts;
  if (parts.length !== questions.length) {
    const list = questions.map(({ question }) => `"${question}"`).join(', ');
    throw new UsageError(`expected ${questions.length} answers, got ${parts.length}`, `questions: ${list}`);
  }
  const answers: Record<string, string[]> = {};
  questions.forEach((question, at) => {
    answers[question.id] = readOne(question, parts[at] ?? '');
  });
  return { decision: 'answer', answers };
}

function readOne(question: Question, text: string): string[] {
  const outside = answerOutside(question, text);
  if (outside !== undefined) {
    const known = question.options.map(({ label }, at) => `${at + 1} ${label}`).join(', ');
    throw new UsageError(`"${outside}" is not an option of "${question.question}"`, `use one of: ${known}`);
  }
  return readAnswer(question, text) ?? [''];
}
