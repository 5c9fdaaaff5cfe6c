import { expect, test } from 'vitest';
import { ageOf, durationOf, moneyOf, projectOf, shorten, tokensOf } from './format.logic.ts';

test('formats ages briefly and never as a future time', () => {
  const at = (ms: number) => ageOf(0, ms);
  expect([at(-5), at(20_000), at(61_000), at(3 * 3_600_000), at(3 * 86_400_000), at(40 * 86_400_000)]).toEqual([
    'now',
    'now',
    '1m',
    '3h',
    '3d',
    '5w',
  ]);
});

test('formats durations with their two largest units', () => {
  expect([durationOf(900), durationOf(80_000), durationOf(7_500_000), durationOf(97_200_000)]).toEqual([
    '1s',
    '1m 20s',
    '2h 05m',
    '1d 3h',
  ]);
});

test('distinguishes an unknown cost from zero and marks estimates', () => {
  expect([moneyOf(null), moneyOf(0), moneyOf(0.004), moneyOf(1.5, true)]).toEqual(['–', '$0', '<$0.01', '~$1.50']);
  expect([tokensOf(null), tokensOf(999), tokensOf(1500), tokensOf(2_500_000)]).toEqual(['–', '999', '1.5k', '2.5M']);
});

test('shortens a long text in the middle', () => {
  expect([shorten('abcdefghij', 7), shorten('abc', 7), projectOf('/home/user/project/')]).toEqual([
    'abc…hij',
    'abc',
    'project',
  ]);
});
