import type { UsageRow } from '@agent-mux/api/browser';
import { expect, test } from 'vitest';
import {
  ceilingOf,
  costDescription,
  costText,
  fillDays,
  firstDayOf,
  rankRows,
  tokensIn,
  totalOf,
} from './usage.logic.ts';

const row = (key: string, options: Partial<UsageRow> = {}): UsageRow => ({
  key,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheCreationTokens: 0,
  costUsd: 0,
  estimatedUsd: 0,
  unpricedCalls: 0,
  ...options,
});
const NOW = new Date(2026, 2, 3, 9).getTime();

test('fills days without usage across months without duplicates', () => {
  const days = fillDays([row('2026-03-01', { costUsd: 2 })], 5, NOW);
  expect(days.map(({ key }) => key)).toEqual(['2026-02-27', '2026-02-28', '2026-03-01', '2026-03-02', '2026-03-03']);
  expect(days.map(({ costUsd }) => costUsd)).toEqual([0, 0, 2, 0, 0]);
  expect(firstDayOf(5, NOW)).toBe('2026-02-27');
  expect(new Set(fillDays([], 400, NOW).map(({ key }) => key)).size).toBe(400);
});

test('marks estimates and never shows an unknown cost as zero', () => {
  expect(costText(row('a', { costUsd: 1.5 }))).toBe('$1.50');
  expect(costText(row('a', { costUsd: 1.5, estimatedUsd: 0.5 }))).toBe('~$1.50');
  expect(costText(row('a', { costUsd: 1.5, unpricedCalls: 2 }))).toBe('$1.50 +');
  expect(costText(row('a', { unpricedCalls: 2 }))).toBe('–');
  expect(costDescription(row('a', { costUsd: 1.5, estimatedUsd: 0.5, unpricedCalls: 1 }))).toBe(
    '$1.50, $0.50 of it estimated, 1 call of unknown cost not included',
  );
  expect(costDescription(row('a', { costUsd: 1.5, estimatedUsd: 1.5 }))).toBe('$1.50, all of it estimated');
});

test('sums all rows, excludes cache reads from tokens and ranks the largest first', () => {
  const rows = [
    row('a', { costUsd: 1, inputTokens: 100, cacheReadTokens: 9999 }),
    row('b', { costUsd: 2, outputTokens: 10, unpricedCalls: 1 }),
  ];
  expect(totalOf(rows)).toMatchObject({ costUsd: 3, inputTokens: 100, outputTokens: 10, unpricedCalls: 1 });
  expect(tokensIn(rows[0]!)).toBe(100);
  expect(rankRows(rows, 'cost').map(({ key }) => key)).toEqual(['b', 'a']);
  expect(rankRows(rows, 'tokens').map(({ key }) => key)).toEqual(['a', 'b']);
});

test('rounds the top of a chart up', () => {
  expect([0, 0.7, 3, 12, 260].map((value) => ceilingOf([value]))).toEqual([1, 1, 5, 20, 500]);
});
