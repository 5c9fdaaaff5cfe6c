import { expect, test } from 'vitest';
import { answerOf, choicesOf, choose, type Question, write } from './request.logic.ts';

test('an agent that offers nothing is answered with a plain yes or no', () => {
  expect(choicesOf({ options: [] }).map(({ role, answer }) => [role, answer.decision])).toEqual([
    ['approve', 'allow'],
    ['deny', 'deny'],
  ]);
});

test('only what an agent offers may be answered; the key of approval is for once, not for ever', () => {
  const choices = choicesOf({
    options: [
      { id: 'always', label: 'Always', kind: 'allow_always' },
      { id: 'once', label: 'Once', kind: 'allow_once' },
      { id: 'never', label: 'Never', kind: 'deny_always' },
    ],
  });
  expect(choices.map(({ role, answer }) => [role, answer])).toEqual([
    ['other', { decision: 'allow', optionId: 'always' }],
    ['approve', { decision: 'allow', optionId: 'once' }],
    ['deny', { decision: 'deny', optionId: 'never' }],
  ]);
});

const one: Question = {
  id: 'one',
  question: '?',
  options: [{ label: 'a' }, { label: 'b' }],
  multiple: false,
  freeText: true,
};
const many: Question = { ...one, id: 'many', multiple: true };

test('an answer is there when every question has one', () => {
  const half = choose(one, 'a', {});
  expect(answerOf([one, many], half)).toBeNull();
  const whole = write(many, ' and c ', choose(many, 'b', choose(many, 'a', half)));
  expect(answerOf([one, many], whole)).toEqual({
    decision: 'answer',
    answers: { one: ['a'], many: ['a', 'b', 'and c'] },
  });
});

test('of a question with one answer the last word counts, whether it was chosen or written', () => {
  expect(answerOf([one], choose(one, 'b', write(one, 'mine', choose(one, 'a', {}))))).toMatchObject({
    answers: { one: ['b'] },
  });
  expect(answerOf([one], write(one, 'mine', choose(one, 'a', {})))).toMatchObject({ answers: { one: ['mine'] } });
});
