import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSseParser, type StreamMessage } from './sse-parser.ts';

const write = ({ id, data }: StreamMessage, end = '\n') =>
  [`id: ${id}`, ...data.split('\n').map((line) => `data: ${line}`), '', ''].join(end);

/** Cut where the numbers say. */
function cut(text: string, places: readonly number[]): string[] {
  const at = [0, ...places.map((place) => place % (text.length + 1)), text.length].sort((a, b) => a - b);
  return at.slice(1).map((end, i) => text.slice(at[i], end));
}

describe('a stream of messages', () => {
  it('is read the same, however it is cut into pieces', () => {
    const message = fc.record({
      id: fc.nat().map(String),
      data: fc.string().map((text) => text.replace(/[\r\n]/g, '')),
    });
    fc.assert(
      fc.property(fc.array(message), fc.array(fc.nat()), fc.constantFrom('\n', '\r\n'), (messages, places, end) => {
        const parse = createSseParser();
        const pieces = cut(messages.map((each) => write(each, end)).join(`: a comment${end}${end}`), places);
        expect(pieces.flatMap(parse)).toEqual(messages);
      }),
    );
  });

  it('has data of several lines, comments, fields that nobody knows, and no message without data', () => {
    const parse = createSseParser();
    const text = ': here\n\nretry: 5\nid: 7\n\nid: 8\nevent: x\ndata: a\ndata:b\ndata\n\n';
    expect(parse(text)).toEqual([{ id: '8', data: 'a\nb\n' }]);
  });

  it('gives nothing of a message that has not ended', () => {
    const parse = createSseParser();
    expect(parse('id: 1\ndata: {"half":')).toEqual([]);
    expect(parse('"a"}\n')).toEqual([]);
    expect(parse('\n')).toEqual([{ id: '1', data: '{"half":"a"}' }]);
  });

  it('is read in linear time, also where a line comes in very many pieces', () => {
    const parse = createSseParser();
    for (let i = 0; i < 200_000; i += 1) parse('x');
    expect(parse('\ndata: end\n\n')).toEqual([{ id: '', data: 'end' }]);
  });
});
