import { expect, test } from 'vitest';
import { answerOf, choicesOf, choose, type Question, write } from './request.logic.ts';

test('falls back to approve and deny when the agent offers no options', () => {
  expect(choicesOf({ options: [] }).map(({ role, answer }) => [role, answer.decision])).toEqual([
    ['approve', 'allow'],
    ['deny', 'deny'],
  ]);
});

test('offers only options of the agent and maps approve to "once"', () => {
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

test('has no answer until every question is answered', () => {
  const half = choose(one, 'a', {});
  expect(answerOf([one, many], half)).toBeNull();
  const whole = write(many, ' and c ', choose(many, 'b', choose(many, 'a', half)));
  expect(answerOf([one, many], whole)).toEqual({
    decision: 'answer',
    answers: { one: ['a'], many: ['a', 'b', 'and c'] },
  });
});

test('keeps the last choice or text of a single-answer question', () => {
  expect(answerOf([one], choose(one, 'b', write(one, 'mine', choose(one, 'a', {}))))).toMatchObject({
    answers: { one: ['b'] },
  });
  expect(answerOf([one], write(one, 'mine', choose(one, 'a', {})))).toMatchObject({ answers: { one: ['mine'] } });
});
