import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSseParser, type StreamMessage } from './sse-parser.ts';

const write = ({ id, data }: StreamMessage, end = '\n') =>
  [`id: ${id}`, ...data.split('\n').map((line) => `data: ${line}`), '', ''].join(end);

/** Splits at the given offsets. */
function cut(text: string, offsets: readonly number[]): string[] {
  const at = [0, ...offsets.map((offset) => offset % (text.length + 1)), text.length].sort((a, b) => a - b);
  return at.slice(1).map((end, i) => text.slice(at[i], end));
}

describe('SSE parser', () => {
  it('parses the same messages, however the text is split', () => {
    const message = fc.record({
      id: fc.nat().map(String),
      data: fc.string().map((text) => text.replace(/[\r\n]/g, '')),
    });
    fc.assert(
      fc.property(fc.array(message), fc.array(fc.nat()), fc.constantFrom('\n', '\r\n'), (messages, offsets, end) => {
        const parse = createSseParser();
        const pieces = cut(messages.map((each) => write(each, end)).join(`: a comment${end}${end}`), offsets);
        expect(pieces.flatMap(parse)).toEqual(messages);
      }),
    );
  });

  it('supports multi-line data, comments and unknown fields, and skips messages without data', () => {
    const parse = createSseParser();
    const text = ': here\n\nretry: 5\nid: 7\n\nid: 8\nevent: x\ndata: a\ndata:b\ndata\n\n';
    expect(parse(text)).toEqual([{ id: '8', data: 'a\nb\n' }]);
  });

  it('returns no incomplete message', () => {
    const parse = createSseParser();
    expect(parse('id: 1\ndata: {"half":')).toEqual([]);
    expect(parse('"a"}\n')).toEqual([]);
    expect(parse('\n')).toEqual([{ id: '1', data: '{"half":"a"}' }]);
  });

  it('takes linear time, also for a line in very many pieces', () => {
    const parse = createSseParser();
    for (let i = 0; i < 200_000; i += 1) parse('x');
    expect(parse('\ndata: end\n\n')).toEqual([{ id: '', data: 'end' }]);
  });
});
