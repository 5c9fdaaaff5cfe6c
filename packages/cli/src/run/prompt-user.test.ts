import type { ApprovalOption, Question } from '@agent-mux/core';
import { describe, expect, it } from 'vitest';
import { choicesOf } from './prompt-user.ts';
import { answerOutside, readAnswer } from './read-answer.ts';

const option = (id: string, kind: ApprovalOption['kind']): ApprovalOption => ({ id, label: id, kind });
const question = (multiple: boolean): Question => ({
  id: 'q',
  question: 'Which?',
  options: [{ label: 'Red' }, { label: 'Blue' }],
  multiple,
});

describe('choicesOf', () => {
  it('gives each offered option its own key', () => {
    const offered = [
      option('once', 'allow_once'),
      option('session', 'allow_always'),
      option('project', 'allow_always'),
      option('no', 'deny_once'),
      option('stop', 'deny_always'),
    ];
    expect(choicesOf(offered).map(({ key, allows }) => [key, allows])).toEqual([
      ['y', true],
      ['a', true],
      ['3', true],
      ['n', false],
      ['never', false],
    ]);
  });
});

describe('readAnswer', () => {
  it('accepts numbers, labels and an empty line as no answer', () => {
    expect(readAnswer(question(false), ' 2 ')).toEqual(['Blue']);
    expect(readAnswer(question(false), 'green, please')).toEqual(['green, please']);
    expect(readAnswer(question(true), '1, 2')).toEqual(['Red', 'Blue']);
    expect(readAnswer(question(true), '')).toBeUndefined();
    expect(readAnswer(question(false), 'blue')).toEqual(['Blue']);
  });

  it('rejects labels that were not offered and numbers out of range', () => {
    expect(answerOutside(question(false), ' 3 ')).toBe('3');
    expect(answerOutside(question(false), '0')).toBe('0');
    expect(answerOutside(question(true), '1, 7, 2')).toBe('7');
    expect(answerOutside(question(false), '2')).toBeUndefined();
    expect(answerOutside({ ...question(false), freeText: true }, '3 of them')).toBeUndefined();
    expect(answerOutside({ ...question(false), freeText: true }, '3')).toBe('3');
    expect(answerOutside(question(false), 'green')).toBe('green');
    expect(answerOutside(question(false), 'blue')).toBeUndefined();
    expect(answerOutside(question(false), '')).toBeUndefined();
    expect(answerOutside({ ...question(false), options: [] }, '42')).toBeUndefined();
  });
});
