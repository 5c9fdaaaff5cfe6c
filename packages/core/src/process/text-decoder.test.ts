import { describe, expect, it } from 'vitest';
import { TextChunkDecoder } from './text-decoder.ts';

describe('chunked text', () => {
  it('has complete characters and plain newlines, wherever it is cut', () => {
    const bytes = Buffer.from('é\r\n> 😀\rbar\r');
    for (let size = 1; size <= bytes.length; size += 1) {
      const pieces = new TextChunkDecoder();
      let text = '';
      for (let at = 0; at < bytes.length; at += size) text += pieces.push(bytes.subarray(at, at + size));
      expect(text + pieces.end()).toBe('é\n> 😀\rbar\r');
    }
  });

  it('arrives immediately', () => {
    expect(new TextChunkDecoder().push(Buffer.from('50%'))).toBe('50%');
  });
});
