import { expect, test } from 'vitest';
import { aLimit, aSession } from '../data/made-up.ts';
import { amountTexts, limitOffers, limitOutlook, readAmounts } from './limit.logic.ts';

const limited = (limit: Parameters<typeof aLimit>[0], more = {}) =>
  aSession({ id: 'a', rev: 1, limit: aLimit(limit), ...more });

test('a limit offers what would change something', () => {
  expect(limitOffers(limited({ state: 'stopped' }))).toEqual(['wait', 'now']);
  expect(limitOffers(limited({ state: 'cancelled' }))).toEqual(['wait', 'now']);
  expect(limitOffers(limited({ state: 'outside_hours' }))).toEqual(['cancel', 'now']);
  expect(limitOffers(limited({ state: 'continued' }))).toEqual([]);
  expect(limitOffers(limited({ state: 'stopped' }, { isTerminated: true }))).toEqual([]);
  const waitsFor = { kind: 'usage', message: '', until: 5 } as const;
  expect(limitOffers(aSession({ id: 'a', rev: 1, waitsFor }))).toEqual(['now']);
  expect(limitOffers(aSession({ id: 'a', rev: 1 }))).toEqual([]);
});

test('a budget is raised where it is: of the session here, of all in the settings', () => {
  const budget = { kind: 'budget', state: 'stopped' } as const;
  expect(limitOffers(limited({ ...budget, per: 'session' }))).toEqual(['raise']);
  expect(limitOffers(limited({ ...budget, per: 'session' }, { queuedMessages: 1 }))).toEqual(['raise', 'now']);
  expect(limitOffers(limited({ ...budget, per: 'day' }))).toEqual(['settings']);
});

test('what becomes of a limit is told with its time', () => {
  expect(limitOutlook(limited({ continuesAt: 7, resetsAt: 5 }))).toEqual({ words: 'goes on by itself', at: 7 });
  expect(limitOutlook(limited({ state: 'stopped', resetsAt: 5 }))).toEqual({ words: 'lifted', at: 5 });
  expect(limitOutlook(limited({ state: 'stopped' }))?.at).toBe(null);
  expect(limitOutlook(limited({ kind: 'budget', state: 'stopped', resetsAt: 5 }))?.words).toBe('begins anew');
  expect(limitOutlook(limited({ kind: 'budget', state: 'stopped' }))).toBe(null);
});

test('amounts are read as people write them, and what is none is told', () => {
  expect(readAmounts({ usd: '$ 5', tokens: '' })).toEqual({ usd: 5 });
  expect(readAmounts({ usd: '0.50', tokens: '200k' })).toEqual({ usd: 0.5, tokens: 200_000 });
  expect(readAmounts({ usd: '', tokens: '1.5m' })).toEqual({ tokens: 1_500_000 });
  expect(readAmounts({ usd: 'much', tokens: '' })).toContain('no sum of money');
  expect(readAmounts({ usd: '', tokens: '-5' })).toContain('no number of tokens');
  expect(readAmounts({ usd: ' ', tokens: '' })).toContain('Say how much');
  expect(amountTexts({ usd: 5 })).toEqual({ usd: '5', tokens: '' });
  expect(amountTexts(null)).toEqual({ usd: '', tokens: '' });
});
