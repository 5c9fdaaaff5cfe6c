import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WordWrap } from './word-wrap.ts';

function wrap(pieces: readonly string[], width: number): string {
  const wrapper = new WordWrap();
  return pieces.map((piece) => wrapper.push(piece, width)).join('') + wrapper.flush(width);
}

describe('WordWrap', () => {
  it('breaks between words, however the text is split', () => {
    const text = 'scripted, built in, without account or model. Here is what a run looks like.\nNext.';
    const whole = wrap([text], 30);
    expect(whole).toBe('scripted, built in, without \naccount or model. Here is what\na run looks like.\nNext.');
    expect(wrap([...text], 30)).toBe(whole);
  });

  it('keeps fenced code and words longer than the terminal', () => {
    const code = '```\nconst value = compute(one, two, three, four);\n```\n';
    expect(wrap([code], 20)).toBe(code);
    expect(wrap(['https://example.com/a/very/long/path'], 10)).toBe('https://example.com/a/very/long/path');
  });

  it('never exceeds the width and loses no word', () => {
    const words = fc.array(fc.stringMatching(/^[a-z]{1,12}$/), { minLength: 1 });
    fc.assert(
      fc.property(words, fc.integer({ min: 12, max: 40 }), (list, width) => {
        const wrapped = wrap(list.join(' ').match(/.{1,5}/gs) ?? [], width);
        expect(wrapped.split(/\s+/)).toEqual(list);
        for (const row of wrapped.split('\n')) expect(row.trimEnd().length).toBeLessThanOrEqual(width);
      }),
    );
  });
});
