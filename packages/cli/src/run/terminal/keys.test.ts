import { describe, expect, it } from 'vitest';
import { type Key, KeyReader } from './keys.ts';

const read = (...chunks: string[]): Key[] => {
  const reader = new KeyReader();
  return chunks.flatMap((chunk) => reader.read(chunk));
};
const key = (name: string) => ({ type: 'key', name });
const text = (value: string) => ({ type: 'text', text: value });

describe('KeyReader', () => {
  it('separates text from keys', () => {
    expect(read('ab\x7f漢\r')).toEqual([text('ab'), key('backspace'), text('漢'), key('enter')]);
    expect(read('\x1b[A\x1bOB\x1b[1;5C\x1bb')).toEqual([key('up'), key('down'), key('word-right'), key('word-left')]);
  });

  it('joins split sequences and ignores unknown ones', () => {
    expect(read('\x1b[', 'A')).toEqual([key('up')]);
    expect(read('\x1b[1;', '3Dx')).toEqual([key('word-left'), text('x')]);
    expect(read('\x1b[99;99~a\x1b[I')).toEqual([text('a')]);
    expect(read('\x1b', 'a')).toEqual([text('a')]);
    expect(read('a\x00\x07b')).toEqual([text('a'), text('b')]);
  });

  it('recognizes all newline keys', () => {
    for (const way of ['\x1b\r', '\x1b\n', '\x1b[13;2u', '\x1b[27;2;13~']) expect(read(way)).toEqual([key('newline')]);
  });

  it('keeps pasted text unchanged, however it is split', () => {
    const bytes = '\x1b[200~one\ntwo\x1b[A\r\x1b[201~x';
    for (let at = 1; at < bytes.length; at += 1) {
      const keys = read(bytes.slice(0, at), bytes.slice(at));
      const pasted = keys.flatMap((each) => (each.type === 'paste' ? each.text : []));
      expect(at === 1 ? 'cut through its escape' : pasted.join('')).toBe(
        at === 1 ? 'cut through its escape' : 'one\ntwo\x1b[A\r',
      );
      expect(keys.at(-1)).toEqual(text('x'));
    }
  });
});
