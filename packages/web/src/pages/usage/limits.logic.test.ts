import { expect, test } from 'vitest';
import { budgetText, limitText } from './limits.logic.ts';

const budget = { usd: null, tokens: null, usedUsd: 0, estimatedUsd: 0, unpricedCalls: 0, usedTokens: 0 };

test('shows the fuller share of a budget, marks estimates and counts unknown costs', () => {
  expect(budgetText({ ...budget, usd: 10, usedUsd: 2.5, estimatedUsd: 1, unpricedCalls: 3 })).toEqual({
    text: '~$2.50 of $10.00, 3 calls of unknown cost not included',
    share: 0.25,
  });
  expect(budgetText({ ...budget, usd: 10, usedUsd: 1, tokens: 1000, usedTokens: 900 })).toEqual({
    text: '$1.00 of $10.00, 900 of 1.0k tokens',
    share: 0.9,
  });
});

test('explains a limit with the message of the daemon', () => {
  expect(limitText({ limit: null, waitingFor: { kind: 'usage', message: 'the login is out', until: null } })).toBe(
    'the login is out',
  );
  expect(limitText({ limit: null, waitingFor: null })).toBe('paused by a limit');
});
