import type { Answer, Remember, Request } from '@agent-mux/api';
import type { ApprovalRequest, Question } from '@agent-mux/core';
import { answerOutside, readAnswer } from '../run/read-answer.ts';
import { UsageError } from '../usage-error.ts';
import { eventOf } from './event-of.ts';

/** Only what was offered is an answer; everything else is refused before it is sent. */
export function allowing(
  request: Request,
  { option, always, remember }: { option?: string; always: boolean; remember?: Remember },
): Answer {
  const event = eventOf(request);
  if (event.type !== 'approval_request') {
    throw new UsageError('it is a question, and wants an answer', `amux answer ${request.id.slice(0, 8)} TEXT`);
  }
  if (always) {
    const found = event.options.find(({ kind }) => kind === 'allow_always');
    if (!found) throw new UsageError('the agent does not offer to remember it', 'leave --always out');
    return { decision: 'allow', optionId: found.id };
  }
  return {
    decision: 'allow',
    ...(option === undefined ? {} : { optionId: offered(event, option, 'allow') }),
    ...(remember ? { remember } : {}),
  };
}

export function denying(
  request: Request,
  { reason, option, remember }: { reason: string; option?: string; remember?: Remember },
): Answer {
  const event = eventOf(request);
  if (event.type !== 'approval_request') {
    if (remember)
      throw new UsageError('it is a question: that it is declined is not remembered', 'leave --remember out');
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
  throw new UsageError(`the agent does not offer "${wanted}"`, known ? `there are: ${known}` : undefined);
}

/** One question takes all words; of several each takes one. */
export function answering(request: Request, texts: readonly string[]): Answer {
  const event = eventOf(request);
  if (event.type !== 'input_required') {
    const id = request.id.slice(0, 8);
    throw new UsageError('it is no question: it is allowed or denied', `amux approve ${id}, or amux deny ${id}`);
  }
  const { questions } = event;
  const parts = questions.length === 1 ? [texts.join(' ')] : texts;
  if (parts.length !== questions.length) {
    const list = questions.map(({ question }) => `"${question}"`).join(', ');
    throw new UsageError(`there are ${questions.length} questions and ${parts.length} answers`, `asked is: ${list}`);
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
    throw new UsageError(`"${outside}" is no answer to "${question.question}"`, `there are: ${known}`);
  }
  return readAnswer(question, text) ?? [''];
}
