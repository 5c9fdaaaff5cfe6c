import { expect, test } from 'vitest';
import {
  budgetRuleText,
  durationText,
  notifyRuleFields,
  notifyRuleText,
  patchOf,
  readBudget,
  readBytes,
  readCount,
  readDuration,
  readHours,
  readNotifyRule,
  readTarget,
  statusOf,
  withoutTarget,
} from './fields.logic.ts';

test('parses durations, sizes, counts and hours; empty means the default', () => {
  expect([0, 90 * 86_400_000, 1_800_000, 90_000, 1500].map(durationText)).toEqual([
    '0s',
    '90d',
    '30m',
    '90s',
    '1500ms',
  ]);
  expect(readDuration('1h 30m')).toEqual({ value: '1h30m' });
  expect(readDuration('')).toEqual({ value: null });
  expect(readDuration('soon')).toContain('not a duration');
  expect(readBytes('5 GB')).toEqual({ value: 5 * 1024 ** 3 });
  expect(readBytes('1.5k')).toEqual({ value: 1536 });
  expect(readBytes('0')).toEqual({ value: 0 });
  expect(readBytes('lots')).toContain('not a size');
  expect(readCount('12')).toEqual({ value: 12 });
  expect(readCount('0')).toContain('not a whole number');
  expect(readHours('8:00 - 22:00')).toEqual({ value: '8:00-22:00' });
  expect(readHours('')).toEqual({ value: null });
  expect(readHours('08:00-08:00')).toContain('not a time range');
  expect(patchOf(readCount('3'), (maxLiveSessions) => ({ maxLiveSessions }))).toEqual({ maxLiveSessions: 3 });
  expect(patchOf(readCount('x'), (maxLiveSessions) => ({ maxLiveSessions }))).toContain('"x"');
});

const empty = { usd: '', tokens: '', agent: '', project: '' };

test('parses a budget form, formats the budget and finds its status', () => {
  const rule = readBudget({ ...empty, per: 'day', usd: '20', agent: 'claude' });
  expect(rule).toEqual({ per: 'day', usd: 20, agent: 'claude' });
  expect(readBudget({ ...empty, per: 'project', tokens: '2m', project: 'src' })).toContain('not an absolute path');
  expect(readBudget({ ...empty, per: 'day' })).toContain('Enter an amount');
  expect(budgetRuleText({ per: 'day', agent: 'claude' })).toBe('per day for claude');
  expect(budgetRuleText({ per: 'project', project: '/w' })).toBe('in total in /w');
  const used = { usedUsd: 1, estimatedUsd: 0, unpricedCalls: 0, usedTokens: 0, exhausted: false, resetsAt: 5 };
  const of = { per: 'day', label: 'of the day', agent: 'claude', project: null, sessionId: null } as const;
  const status = { ...of, ...used, usd: 20, tokens: null };
  expect(statusOf({ per: 'day', usd: 20, agent: 'claude' }, [status])).toBe(status);
  expect(statusOf({ per: 'day', usd: 21, agent: 'claude' }, [status])).toBe(undefined);
});

test('formats a notification rule and drops it with its last target', () => {
  expect(notifyRuleText({ to: ['phone'], when: ['failed', 'blocked'], quietHours: '22:00-07:00' })).toBe(
    'phone: when an agent requests approval; a session fails · quiet 22:00-07:00 (summary afterwards)',
  );
  expect(withoutTarget([{ to: ['a', 'b'] }, { to: ['a'] }], 'a')).toEqual([{ to: ['b'] }]);
});

const target = { name: 'phone', type: 'webhook', url: '', secret: '' } as const;

test('requires all fields of a new target and keeps empty fields of an existing one', () => {
  expect(readTarget(target, true)).toBe('Enter a URL');
  expect(readTarget({ ...target, url: 'https://example.com/x' }, true)).toContain('secret');
  expect(readTarget({ ...target, url: 'ftp://example.com' }, false)).toContain('https://');
  expect(readTarget({ ...target, secret: 'short' }, false)).toContain('16 characters');
  expect(readTarget(target, false)).toEqual({ type: 'webhook' });
  expect(readTarget({ ...target, type: 'command' }, false)).toEqual({ type: 'command' });
  expect(readTarget({ ...target, name: 'my phone', type: 'desktop' }, true)).toContain('letters');
});

test('round-trips a notification rule through its form and reports missing fields', () => {
  const rule = { to: ['phone'], when: ['idle' as const], agents: ['claude', 'codex'], quietHours: '22:00-07:00' };
  expect(readNotifyRule(notifyRuleFields({ ...rule, inQuietHours: 'drop' }))).toEqual({
    ...rule,
    inQuietHours: 'drop',
  });
  expect(readNotifyRule(notifyRuleFields({ to: ['desktop'] }))).toEqual({ to: ['desktop'] });
  expect(readNotifyRule(notifyRuleFields(undefined))).toBe('Choose a target');
  expect(readNotifyRule({ ...notifyRuleFields(rule), when: [] })).toBe('Choose at least one event');
  expect(readNotifyRule({ ...notifyRuleFields(rule), quietHours: 'night' })).toContain('not a time range');
});
