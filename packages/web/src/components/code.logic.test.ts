import { expect, test } from 'vitest';
import { joinGrown, languageOf } from './code.logic.ts';
import { highlight } from './highlight.ts';

test('resolves the language names that agents use', () => {
  expect(languageOf('language-ts')).toBe('typescript');
  expect(languageOf('x language-C++')).toBe('c');
  expect(languageOf('language-brainfuck')).toBe('brainfuck');
  expect(languageOf(undefined)).toBeNull();
});

test('highlights code in theme colors without losing a character', async () => {
  const code = 'const answer: number = 42; // why\n\nreturn [answer];';
  const pieces = (await highlight(code, 'typescript')) ?? [];
  expect(pieces.map(({ text }) => text).join('')).toBe(code);
  const keyword = pieces.find(({ text }) => text.startsWith('const'));
  expect(keyword?.color).toMatch(/^var\(--code-/);
  expect(new Set(pieces.map(({ color }) => color)).size).toBeGreaterThan(2);
  expect(await highlight(code, 'brainfuck')).toBeNull();
});

test('appends new text unhighlighted but does not join unrelated text', () => {
  const pieces = [{ text: 'let', color: 'red' }];
  expect(joinGrown(pieces, 'let', 'let')).toBe(pieces);
  expect(joinGrown(pieces, 'let', 'let x')).toEqual([...pieces, { text: ' x', color: null }]);
  expect(joinGrown(pieces, 'let', 'var x')).toBeNull();
});
