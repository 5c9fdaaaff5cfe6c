import type { ApprovalOption, Question } from '../contract/events.ts';
import type { QuestionAnswers } from '../contract/options.ts';

/** What is wrong with an answer, and the valid ones. */
export interface AnswerIssue {
  problem: string;
  hint: string;
}

/** Checks that the option was offered for that decision. Undefined: valid. */
export function findOptionIssue(
  offered: readonly ApprovalOption[],
  optionId: string | undefined,
  decision: 'allow' | 'deny',
): AnswerIssue | undefined {
  if (optionId === undefined) return undefined;
  const fitting = offered.filter(({ kind }) => kind.startsWith(decision)).map(({ id }) => id);
  if (fitting.includes(optionId)) return undefined;
  return {
    problem: `"${optionId}" is not an offered answer`,
    hint: `offered: ${fitting.join(', ') || 'none'}`,
  };
}

/** Checks that each answer was offered, unless free text is accepted. Undefined: valid. */
export function findAnswersIssue(asked: readonly Question[], answers: QuestionAnswers): AnswerIssue | undefined {
  for (const [id, given] of Object.entries(answers)) {
    const question = asked.find((one) => one.id === id);
    const problem = question ? issueOf(question, given) : `unknown question "${id}"`;
    if (problem === undefined) continue;
    const hint = question
      ? `offered: ${question.options.map(({ label }) => label).join(', ')}`
      : `asked: ${asked.map((one) => one.id).join(', ')}`;
    return { problem, hint };
  }
  return undefined;
}

function issueOf({ id, options, multiple, freeText }: Question, given: unknown): string | undefined {
  if (!Array.isArray(given)) return `the answer to "${id}" must be a list of strings`;
  if (!multiple && given.length > 1) return `"${id}" accepts only one answer`;
  if (options.length === 0 || freeText) return undefined;
  const outside = given.find((answer) => !options.some(({ label }) => label === answer));
  return outside === undefined ? undefined : `"${outside}" is not an offered answer`;
}
