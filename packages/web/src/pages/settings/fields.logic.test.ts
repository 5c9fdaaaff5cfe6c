import { expect, test } from 'vitest';
import {
  budgetWords,
  durationText,
  notifyRuleFields,
  notifyRuleWords,
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

test('durations, sizes, counts and hours are read as people write them; empty is the default', () => {
  expect([0, 90 * 86_400_000, 1_800_000, 90_000, 1500].map(durationText)).toEqual([
    '0s',
    '90d',
    '30m',
    '90s',
    '1500ms',
  ]);
  expect(readDuration('1h 30m')).toEqual({ value: '1h30m' });
  expect(readDuration('')).toEqual({ value: null });
  expect(readDuration('soon')).toContain('no duration');
  expect(readBytes('5 GB')).toEqual({ value: 5 * 1024 ** 3 });
  expect(readBytes('1.5k')).toEqual({ value: 1536 });
  expect(readBytes('0')).toEqual({ value: 0 });
  expect(readBytes('lots')).toContain('no size');
  expect(readCount('12')).toEqual({ value: 12 });
  expect(readCount('0')).toContain('no whole number');
  expect(readHours('8:00 - 22:00')).toEqual({ value: '8:00-22:00' });
  expect(readHours('')).toEqual({ value: null });
  expect(readHours('08:00-08:00')).toContain('no part of the day');
  expect(patchOf(readCount('3'), (maxLiveSessions) => ({ maxLiveSessions }))).toEqual({ maxLiveSessions: 3 });
  expect(patchOf(readCount('x'), (maxLiveSessions) => ({ maxLiveSessions }))).toContain('"x"');
});

const empty = { usd: '', tokens: '', agent: '', project: '' };

test('a budget is made of its form, told in words, and found with what is used of it', () => {
  const rule = readBudget({ ...empty, per: 'day', usd: '20', agent: 'claude' });
  expect(rule).toEqual({ per: 'day', usd: 20, agent: 'claude' });
  expect(readBudget({ ...empty, per: 'project', tokens: '2m', project: 'src' })).toContain('no absolute path');
  expect(readBudget({ ...empty, per: 'day' })).toContain('Say how much');
  expect(budgetWords({ per: 'day', agent: 'claude' })).toBe('a day for claude');
  expect(budgetWords({ per: 'project', project: '/w' })).toBe('for ever in /w');
  const used = { usedUsd: 1, estimatedUsd: 0, unknownCosts: 0, usedTokens: 0, spent: false, liftsAt: 5 };
  const of = { per: 'day', of: 'of the day', agent: 'claude', project: null, sessionId: null } as const;
  const status = { ...of, ...used, usd: 20, tokens: null };
  expect(statusOf({ per: 'day', usd: 20, agent: 'claude' }, [status])).toBe(status);
  expect(statusOf({ per: 'day', usd: 21, agent: 'claude' }, [status])).toBe(undefined);
});

test('a rule of notifications is told in a line, and goes with the last of its targets', () => {
  expect(notifyRuleWords({ to: ['phone'], when: ['failed', 'blocked'], quietHours: '22:00-07:00' })).toBe(
    'phone: when an agent asks for leave; it has failed · quiet 22:00-07:00 (told together afterwards)',
  );
  expect(withoutTarget([{ to: ['a', 'b'] }, { to: ['a'] }], 'a')).toEqual([{ to: ['b'] }]);
});

const target = { name: 'phone', type: 'webhook', url: '', secret: '' } as const;

test('a target that is new needs all of it; of one that is there what is left empty stays', () => {
  expect(readTarget(target, true)).toBe('Say where it is sent to');
  expect(readTarget({ ...target, url: 'https://example.com/x' }, true)).toContain('secret');
  expect(readTarget({ ...target, url: 'ftp://example.com' }, false)).toContain('https://');
  expect(readTarget({ ...target, secret: 'short' }, false)).toContain('16 characters');
  expect(readTarget(target, false)).toEqual({ type: 'webhook' });
  expect(readTarget({ ...target, type: 'command' }, false)).toEqual({ type: 'command' });
  expect(readTarget({ ...target, name: 'my phone', type: 'desktop' }, true)).toContain('letters');
});

test('a rule of notifications is the same after its form, and says what it lacks', () => {
  const rule = { to: ['phone'], when: ['idle' as const], agents: ['claude', 'codex'], quietHours: '22:00-07:00' };
  expect(readNotifyRule(notifyRuleFields({ ...rule, inQuietHours: 'drop' }))).toEqual({
    ...rule,
    inQuietHours: 'drop',
  });
  expect(readNotifyRule(notifyRuleFields({ to: ['desktop'] }))).toEqual({ to: ['desktop'] });
  expect(readNotifyRule(notifyRuleFields(undefined))).toBe('Say who is told');
  expect(readNotifyRule({ ...notifyRuleFields(rule), when: [] })).toBe('Say when');
  expect(readNotifyRule({ ...notifyRuleFields(rule), quietHours: 'night' })).toContain('no part of the day');
});
