import { expect, test } from 'vitest';
import { allowsAll, bytesOf, rememberedWords, ruleOf, ruleWords, spanOf } from './settings.logic.ts';

test('a rule is told in a line, also one that is about everything', () => {
  expect(ruleWords({ kind: ['execute'], pattern: ['npm test *', 'make'], agent: ['codex'], folder: ['/w'] })).toBe(
    'execute like npm test * or make of codex in /w',
  );
  expect(ruleWords({})).toBe('anything');
});

test('what is left empty in the form is not in the rule', () => {
  expect(ruleOf({ decision: 'deny', kind: '', pattern: ' ', agent: '', folder: '' })).toEqual({ decision: 'deny' });
  expect(ruleOf({ decision: 'allow', kind: 'read', pattern: ' *.md ', agent: 'demo', folder: '/w' })).toEqual({
    decision: 'allow',
    kind: ['read'],
    pattern: ['*.md'],
    agent: ['demo'],
    folder: ['/w'],
  });
});

test('a rule that allows every command is known before it is written', () => {
  const fields = { decision: 'allow', kind: '', pattern: '', agent: '', folder: '' } as const;
  expect(allowsAll(ruleOf(fields))).toBe(true);
  expect(allowsAll(ruleOf({ ...fields, kind: 'execute' }))).toBe(true);
  expect(allowsAll(ruleOf({ ...fields, kind: 'read' }))).toBe(false);
  expect(allowsAll(ruleOf({ ...fields, pattern: 'ls *' }))).toBe(false);
  expect(allowsAll(ruleOf({ ...fields, decision: 'ask' }))).toBe(false);
});

test('an answer that was remembered says what it covers and where', () => {
  const answer = {
    id: 'a',
    decision: 'allow',
    agent: 'demo',
    tool: 'Bash',
    kind: 'execute',
    asked: 'ls',
    at: 0,
    by: 'me',
    scope: 'project',
    folder: '/w',
  } as const;
  expect(rememberedWords(answer)).toBe('execute ls of demo, in /w');
  expect(rememberedWords({ ...answer, scope: 'everywhere', pattern: 'ls *' })).toBe(
    'execute like ls * of demo, everywhere',
  );
});

test('sizes and spans are said in words, and 0 is no limit', () => {
  expect([0, 5 * 1024 ** 3, 1536].map(bytesOf)).toEqual(['no limit', '5 GB', '1.5 KB']);
  expect([0, 90 * 86_400_000, 1_800_000, 90_000].map(spanOf)).toEqual(['never', '90 days', '30 minutes', '90 seconds']);
});
