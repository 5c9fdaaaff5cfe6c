import { expect, test } from 'vitest';
import { aLimit, aSession } from '../data/fixtures.ts';
import { amountTexts, limitOffers, limitOutlook, readAmounts } from './limit.logic.ts';

const limited = (limit: Parameters<typeof aLimit>[0], more = {}) =>
  aSession({ id: 'a', rev: 1, limit: aLimit(limit), ...more });

test('offers only limit actions that have an effect', () => {
  expect(limitOffers(limited({ state: 'paused' }))).toEqual(['continue', 'now']);
  expect(limitOffers(limited({ state: 'cancelled' }))).toEqual(['continue', 'now']);
  expect(limitOffers(limited({ state: 'outside_hours' }))).toEqual(['cancel', 'now']);
  expect(limitOffers(limited({ state: 'continued' }))).toEqual([]);
  expect(limitOffers(limited({ state: 'paused' }, { isTerminated: true }))).toEqual([]);
  const waitingFor = { kind: 'usage', message: '', until: 5 } as const;
  expect(limitOffers(aSession({ id: 'a', rev: 1, waitingFor }))).toEqual(['now']);
  expect(limitOffers(aSession({ id: 'a', rev: 1 }))).toEqual([]);
});

test('raises a session budget in place and a shared budget in the settings', () => {
  const budget = { kind: 'budget', state: 'paused' } as const;
  expect(limitOffers(limited({ ...budget, per: 'session' }))).toEqual(['raise']);
  expect(limitOffers(limited({ ...budget, per: 'session' }, { queuedMessages: 1 }))).toEqual(['raise', 'now']);
  expect(limitOffers(limited({ ...budget, per: 'day' }))).toEqual(['settings']);
});

test('describes how a limit proceeds and when', () => {
  expect(limitOutlook(limited({ continuesAt: 7, resetsAt: 5 }))).toEqual({ text: 'continues automatically', at: 7 });
  expect(limitOutlook(limited({ state: 'paused', resetsAt: 5 }))).toEqual({ text: 'resets', at: 5 });
  expect(limitOutlook(limited({ state: 'paused' }))?.at).toBe(null);
  expect(limitOutlook(limited({ kind: 'budget', state: 'paused', resetsAt: 5 }))?.text).toBe('resets');
  expect(limitOutlook(limited({ kind: 'budget', state: 'paused' }))).toBe(null);
});

test('parses amounts in common notations and reports invalid ones', () => {
  expect(readAmounts({ usd: '$ 5', tokens: '' })).toEqual({ usd: 5 });
  expect(readAmounts({ usd: '0.50', tokens: '200k' })).toEqual({ usd: 0.5, tokens: 200_000 });
  expect(readAmounts({ usd: '', tokens: '1.5m' })).toEqual({ tokens: 1_500_000 });
  expect(readAmounts({ usd: 'much', tokens: '' })).toContain('not an amount of money');
  expect(readAmounts({ usd: '', tokens: '-5' })).toContain('not a number of tokens');
  expect(readAmounts({ usd: ' ', tokens: '' })).toContain('Enter an amount');
  expect(amountTexts({ usd: 5 })).toEqual({ usd: '5', tokens: '' });
  expect(amountTexts(null)).toEqual({ usd: '', tokens: '' });
});
