import { expect, test } from 'vitest';
import { budgetText, limitWords } from './limits.logic.ts';

const budget = { usd: null, tokens: null, usedUsd: 0, estimatedUsd: 0, unknownCosts: 0, usedTokens: 0 };

test('a budget shows what is nearer to its end, marks estimates and says what is unknown', () => {
  expect(budgetText({ ...budget, usd: 10, usedUsd: 2.5, estimatedUsd: 1, unknownCosts: 3 })).toEqual({
    text: '~$2.50 of $10.00, 3 calls of unknown cost not in it',
    share: 0.25,
  });
  expect(budgetText({ ...budget, usd: 10, usedUsd: 1, tokens: 1000, usedTokens: 900 })).toEqual({
    text: '$1.00 of $10.00, 900 of 1.0k tokens',
    share: 0.9,
  });
});

test('why a session waits is said in the words of the daemon', () => {
  expect(limitWords({ limit: null, waitsFor: { kind: 'usage', message: 'the login is out', until: null } })).toBe(
    'the login is out',
  );
  expect(limitWords({ limit: null, waitsFor: null })).toBe('waits for a limit');
});
