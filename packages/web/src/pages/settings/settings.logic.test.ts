import { expect, test } from 'vitest';
import {
  allowsAll,
  browserText,
  bytesOf,
  isNamed,
  nameRule,
  rememberedText,
  ruleOf,
  ruleText,
  spanOf,
} from './settings.logic.ts';

test('formats a rule in one line, including one that matches everything', () => {
  expect(ruleText({ kind: ['execute'], pattern: ['npm test *', 'make'], agent: ['codex'], folder: ['/w'] })).toBe(
    'execute matching npm test * or make for codex in /w',
  );
  expect(ruleText({})).toBe('anything');
});

test('omits empty form fields from the rule', () => {
  expect(ruleOf({ decision: 'deny', kind: '', pattern: ' ', agent: '', folder: '' })).toEqual({ decision: 'deny' });
  expect(ruleOf({ decision: 'allow', kind: 'read', pattern: ' *.md ', agent: 'demo', folder: '/w' })).toEqual({
    decision: 'allow',
    kind: ['read'],
    pattern: ['*.md'],
    agent: ['demo'],
    folder: ['/w'],
  });
});

test('generates a unique name for a rule', () => {
  const rule = { decision: 'deny', kind: ['execute'] } as const;
  expect(nameRule({ ...rule, kind: [...rule.kind] }, [])).toBe('deny-execute');
  expect(nameRule({ decision: 'ask' }, ['ask-anything', 'ask-anything-2'])).toBe('ask-anything-3');
  expect([isNamed({ name: 'user-1' }), isNamed({ name: 'deny-execute' })]).toEqual([false, true]);
});

test('detects a rule that allows every command', () => {
  const fields = { decision: 'allow', kind: '', pattern: '', agent: '', folder: '' } as const;
  expect(allowsAll(ruleOf(fields))).toBe(true);
  expect(allowsAll(ruleOf({ ...fields, kind: 'execute' }))).toBe(true);
  expect(allowsAll(ruleOf({ ...fields, kind: 'read' }))).toBe(false);
  expect(allowsAll(ruleOf({ ...fields, pattern: 'ls *' }))).toBe(false);
  expect(allowsAll(ruleOf({ ...fields, decision: 'ask' }))).toBe(false);
});

test('describes what a remembered answer covers and where', () => {
  const answer = {
    id: 'a',
    decision: 'allow',
    agent: 'demo',
    tool: 'Bash',
    kind: 'execute',
    resource: 'ls',
    createdAt: 0,
    by: 'me',
    scope: 'project',
    folder: '/w',
  } as const;
  expect(rememberedText(answer)).toBe('execute ls for demo, in /w');
  expect(rememberedText({ ...answer, scope: 'global', pattern: 'ls *' })).toBe(
    'execute matching ls * for demo, everywhere',
  );
});

test('names a browser by product and system', () => {
  expect(browserText('Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/156.0.0.0 Safari/537.36')).toBe(
    'Chrome on Linux',
  );
  expect(browserText('Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1')).toBe(
    'Safari on iOS',
  );
  expect(browserText('something else')).toBe('something else');
});

test('formats sizes and durations, with 0 as no limit', () => {
  expect([0, 5 * 1024 ** 3, 1536].map(bytesOf)).toEqual(['no limit', '5 GB', '1.5 KB']);
  expect([0, 90 * 86_400_000, 1_800_000, 90_000].map(spanOf)).toEqual(['never', '90 days', '30 minutes', '90 seconds']);
});
