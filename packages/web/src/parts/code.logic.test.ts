import { expect, test } from 'vitest';
import { joinGrown, languageOf } from './code.logic.ts';
import { highlight } from './highlight.ts';

test('a language is known by the names that agents give it', () => {
  expect(languageOf('language-ts')).toBe('typescript');
  expect(languageOf('x language-C++')).toBe('c');
  expect(languageOf('language-brainfuck')).toBe('brainfuck');
  expect(languageOf(undefined)).toBeNull();
});

test('code is highlighted without losing a character, in colours of the page', async () => {
  const code = 'const answer: number = 42; // why\n\nreturn [answer];';
  const pieces = (await highlight(code, 'typescript')) ?? [];
  expect(pieces.map(({ text }) => text).join('')).toBe(code);
  const keyword = pieces.find(({ text }) => text.startsWith('const'));
  expect(keyword?.colour).toMatch(/^var\(--code-/);
  expect(new Set(pieces.map(({ colour }) => colour)).size).toBeGreaterThan(2);
  expect(await highlight(code, 'brainfuck')).toBeNull();
});

test('what is written after the highlighted part is plain, and other text is not joined', () => {
  const pieces = [{ text: 'let', colour: 'red' }];
  expect(joinGrown(pieces, 'let', 'let')).toBe(pieces);
  expect(joinGrown(pieces, 'let', 'let x')).toEqual([...pieces, { text: ' x', colour: null }]);
  expect(joinGrown(pieces, 'let', 'var x')).toBeNull();
});
