import type { Question } from '@agent-mux/core';

/** Undefined: no answer. */
export function readAnswer(question: Question, typed: string): string[] | undefined {
  const text = typed.trim();
  if (text === '') return undefined;
  const labelled = (part: string): string =>
    question.options.find(({ label }) => label.toLowerCase() === part.toLowerCase())?.label ??
    question.options[Number(part) - 1]?.label ??
    part;
  return partsOf(question, text).map(labelled);
}

/** What is no answer to it. A number that no option has is a slip of the finger, also where words are taken. */
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
