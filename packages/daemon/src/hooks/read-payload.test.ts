import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readPayload } from './read-payload.ts';

describe('readPayload', () => {
  it('parses an object', () => {
    expect(readPayload('{"a": 1}', false)).toEqual({ a: 1 });
    expect(readPayload(' {"a": {"b": [1, {"c": null}]}}\n', false)).toEqual({ a: { b: [1, { c: null }] } });
  });

  it.each(['', 'hello', '[1]', '7', 'null', '"x"', '{"a": ', '{"a": 1', '{]', '\0', '{"a":1}{"b":2}'])(
    'returns an empty object for anything else: %j',
    (text) => {
      expect(readPayload(text, false)).toEqual({});
    },
  );

  it('parses the start of a truncated payload', () => {
    expect(readPayload('{"id": "n1", "cwd": "/x", "prompt": "a long te', true)).toEqual({
      id: 'n1',
      cwd: '/x',
      prompt: 'a long te',
    });
    expect(readPayload('{"id": "n1", "tool": {"input": [1, {"x": "y"}, tr', true)).toEqual({ id: 'n1' });
    expect(readPayload('{"id": "n1", "tool": {"input": "{\\"a\\": [', true)).toEqual({
      id: 'n1',
      tool: { input: '{"a": [' },
    });
    expect(readPayload('{"id": "n1", "pro', true)).toEqual({ id: 'n1' });
    expect(readPayload('{"id": "n1", "text": "half an escape \\u00', true)).toEqual({
      id: 'n1',
      text: 'half an escape ',
    });
    expect(readPayload('not json at all', true)).toEqual({});
  });

  it('returns all complete members of a truncated payload and never throws', () => {
    const members = fc.array(fc.tuple(fc.stringMatching(/^[a-z]{1,5}$/), fc.jsonValue()), {
      minLength: 1,
      maxLength: 6,
    });
    fc.assert(
      fc.property(members, fc.double({ min: 0, max: 1, noNaN: true }), (pairs, part) => {
        const value: Record<string, unknown> = Object.fromEntries(pairs);
        const text = JSON.stringify(value);
        const cutAt = Math.floor(text.length * part);
        const read = readPayload(text.slice(0, cutAt), true);
        let end = 1;
        for (const [name, one] of Object.entries(value)) {
          end += JSON.stringify(name).length + 1 + JSON.stringify(one).length;
          if (cutAt > end) expect(read[name]).toEqual(JSON.parse(JSON.stringify(one)));
          end += 1;
        }
      }),
    );
  });

  it('runs in linear time on hostile input', () => {
    const hostile = [
      '['.repeat(250_000),
      '{"a":'.repeat(50_000),
      `{"a":"${'\\'.repeat(250_000)}`,
      '{"a":1,'.repeat(35_000),
    ];
    for (const text of hostile) expect(readPayload(text, true)).toBeTypeOf('object');
  });
});
