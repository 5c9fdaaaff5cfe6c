import type { UsageRow } from '@agent-mux/api/browser';
import { expect, test } from 'vitest';
import { ceilingOf, costText, costWords, fillDays, firstDayOf, rankRows, tokensIn, totalOf } from './usage.logic.ts';

const row = (key: string, given: Partial<UsageRow> = {}): UsageRow => ({
  key,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheCreationTokens: 0,
  costUsd: 0,
  estimatedUsd: 0,
  unknownCosts: 0,
  ...given,
});
const NOW = new Date(2026, 2, 3, 9).getTime();

test('days without work are there, over the end of a month, and none is twice', () => {
  const days = fillDays([row('2026-03-01', { costUsd: 2 })], 5, NOW);
  expect(days.map(({ key }) => key)).toEqual(['2026-02-27', '2026-02-28', '2026-03-01', '2026-03-02', '2026-03-03']);
  expect(days.map(({ costUsd }) => costUsd)).toEqual([0, 0, 2, 0, 0]);
  expect(firstDayOf(5, NOW)).toBe('2026-02-27');
  expect(new Set(fillDays([], 400, NOW).map(({ key }) => key)).size).toBe(400);
});

test('an estimate is marked, what is unknown is never nothing', () => {
  expect(costText(row('a', { costUsd: 1.5 }))).toBe('$1.50');
  expect(costText(row('a', { costUsd: 1.5, estimatedUsd: 0.5 }))).toBe('~$1.50');
  expect(costText(row('a', { costUsd: 1.5, unknownCosts: 2 }))).toBe('$1.50 +');
  expect(costText(row('a', { unknownCosts: 2 }))).toBe('–');
  expect(costWords(row('a', { costUsd: 1.5, estimatedUsd: 0.5, unknownCosts: 1 }))).toBe(
    '$1.50, $0.50 of it estimated, 1 call of unknown cost not in it',
  );
  expect(costWords(row('a', { costUsd: 1.5, estimatedUsd: 1.5 }))).toBe('$1.50, all of it estimated');
});

test('sums hold all, tokens leave out what was read from a cache, the largest comes first', () => {
  const rows = [
    row('a', { costUsd: 1, inputTokens: 100, cacheReadTokens: 9999 }),
    row('b', { costUsd: 2, outputTokens: 10, unknownCosts: 1 }),
  ];
  expect(totalOf(rows)).toMatchObject({ costUsd: 3, inputTokens: 100, outputTokens: 10, unknownCosts: 1 });
  expect(tokensIn(rows[0]!)).toBe(100);
  expect(rankRows(rows, 'cost').map(({ key }) => key)).toEqual(['b', 'a']);
  expect(rankRows(rows, 'tokens').map(({ key }) => key)).toEqual(['a', 'b']);
});

test('the top of a chart is a round number that nothing is above', () => {
  expect([0, 0.7, 3, 12, 260].map((value) => ceilingOf([value]))).toEqual([1, 1, 5, 20, 500]);
});
