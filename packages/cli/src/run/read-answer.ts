import type { Question } from '@agent-mux/core';

/** Undefined for an empty answer. */
export function readAnswer(question: Question, typed: string): string[] | undefined {
  const text = typed.trim();
  if (text === '') return undefined;
  const labelled = (part: string): string =>
    question.options.find(({ label }) => label.toLowerCase() === part.toLowerCase())?.label ??
    question.options[Number(part) - 1]?.label ??
    part;
  return partsOf(question, text).map(labelled);
}

/** The part that does not answer the question. A number out of range is a typo, even where free text is allowed. */
export function answerOutside(question: Question, typed: string): string | undefined {
  const labels = question.options.map(({ label }) => label);
  if (labels.length === 0) return undefined;
  const isOne = (part: string) => readAnswer(question, part)?.every((answer) => labels.includes(answer)) ?? true;
  const mayBeOwn = (part: string) => question.freeText === true && !/^\d+$/.test(part);
  return partsOf(question, typed.trim()).find((part) => !isOne(part) && !mayBeOwn(part));
}

function partsOf({ multiple }: Pick<Question, 'multiple'>, text: string): string[] {
  return multiple ? text.split(/\s*,\s*/).filter(Boolean) : [text];
}
