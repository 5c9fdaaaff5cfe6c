import type { ApprovalOption, Question } from '../contract/events.ts';
import type { QuestionAnswers } from '../contract/options.ts';

/** What is wrong with an answer, and what could be given instead. */
export interface AnswerFault {
  problem: string;
  hint: string;
}

/** An option is one that was offered, for that decision. Undefined: it is. */
export function findOptionFault(
  offered: readonly ApprovalOption[],
  optionId: string | undefined,
  decision: 'allow' | 'deny',
): AnswerFault | undefined {
  if (optionId === undefined) return undefined;
  const fitting = offered.filter(({ kind }) => kind.startsWith(decision)).map(({ id }) => id);
  if (fitting.includes(optionId)) return undefined;
  return {
    problem: `"${optionId}" is not among the offered answers`,
    hint: `offered: ${fitting.join(', ') || 'none'}`,
  };
}

/** An answer is one that was offered, unless the agent takes others too. Undefined: all are. */
export function findAnswersFault(asked: readonly Question[], answers: QuestionAnswers): AnswerFault | undefined {
  for (const [id, given] of Object.entries(answers)) {
    const question = asked.find((one) => one.id === id);
    const problem = question ? faultOf(question, given) : `there is no question "${id}"`;
    if (problem === undefined) continue;
    const hint = question
      ? `offered: ${question.options.map(({ label }) => label).join(', ')}`
      : `asked: ${asked.map((one) => one.id).join(', ')}`;
    return { problem, hint };
  }
  return undefined;
}

function faultOf({ id, options, multiple, freeText }: Question, given: unknown): string | undefined {
  if (!Array.isArray(given)) return `the answer to "${id}" is no list of words`;
  if (!multiple && given.length > 1) return `"${id}" takes one answer`;
  if (options.length === 0 || freeText) return undefined;
  const outside = given.find((answer) => !options.some(({ label }) => label === answer));
  return outside === undefined ? undefined : `"${outside}" is not among the offered answers`;
}
