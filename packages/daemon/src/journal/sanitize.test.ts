import type { SessionEvent } from '@agent-mux/api';
import type { EventBody } from '@agent-mux/core';
import { describe, expect, it } from 'vitest';
import { createSanitizer } from './sanitize.ts';

const SECRET = 'correct-horse-battery';
const envelope = { agent: 'demo', runId: 'r', turnIndex: 0, seq: 7, timestamp: 1 };
const event = (body: EventBody): SessionEvent => ({ ...body, ...envelope }) as SessionEvent;
const text = (delta: string) => event({ type: 'text_delta', delta });
const STOP = event({ type: 'message_stop' });

function journaled(events: readonly SessionEvent[], { secrets = [SECRET], maxInlineChars = 100 } = {}) {
  const sanitizer = createSanitizer({ secrets, maxInlineChars });
  const all = [...events.flatMap((one) => sanitizer.take(one)), ...sanitizer.flush()];
  return {
    fields: all.map(({ fields }) => JSON.parse(JSON.stringify(fields))),
    json: JSON.stringify(all.map(({ fields }) => fields)),
    blobs: all.flatMap(({ blobs }) => blobs),
  };
}

describe('sanitizer', () => {
  it('returns the event itself if nothing is secret', () => {
    const events = [text('all is well'), event({ type: 'turn_end', status: 'completed' })];
    expect(journaled(events).fields).toEqual(events);
  });

  it.each<[string, EventBody]>([
    ['a text', { type: 'text_delta', delta: `it is ${SECRET}!` }],
    ['an input', { type: 'tool_call_ready', toolCallId: 't', toolName: 'Bash', input: { command: `x ${SECRET}` } }],
    ['a name of a field', { type: 'tool_call_ready', toolCallId: 't', toolName: 'Bash', input: { [SECRET]: [1] } }],
    ['an output', { type: 'tool_result', toolCallId: 't', toolName: 'Bash', output: [{ deep: [SECRET] }] }],
    ['a line of a log', { type: 'log', source: 'stderr', line: SECRET }],
    ['data', { type: 'debug', level: 'info', code: 'x', message: SECRET, data: { SECRET } }],
    [
      'a question',
      {
        type: 'input_required',
        requestId: 'r',
        questions: [{ id: 'q', question: SECRET, options: [], multiple: false }],
      },
    ],
    ['a title', { type: 'title', title: SECRET }],
    ['JSON within a text', { type: 'tool_input_delta', toolCallId: 't', delta: JSON.stringify({ a: SECRET }) }],
  ])('has no known secret in %s', (_, body) => {
    const { json } = journaled([event(body)]);
    expect(json).not.toContain(SECRET);
    expect(json).toContain('[redacted]');
  });

  it('redacts fields with secret names but keeps ids and keyboard keys', () => {
    const input = {
      api_key: 'hunter2x',
      key: 'Enter',
      keyword: 'findme',
      nested: { password: 'abcdefg' },
      id: 'api_key=abc',
    };
    const { fields } = journaled([
      event({ type: 'tool_call_ready', toolCallId: 'token=abcdef', toolName: 'x', input }),
    ]);
    expect(fields[0]).toMatchObject({
      toolCallId: 'token=abcdef',
      input: {
        api_key: '[redacted]',
        key: 'Enter',
        keyword: 'findme',
        nested: { password: '[redacted]' },
        id: 'api_key=abc',
      },
    });
  });

  it('redacts secrets encoded in JSON or URLs', () => {
    const odd = 'pa"ss/wörd\\1';
    const { json } = journaled([text(JSON.stringify({ odd })), text(`?x=${encodeURIComponent(odd)}`)], {
      secrets: [odd],
    });
    expect(json).not.toContain('ss/w');
    expect(json).not.toContain('ss%2F');
  });
});

describe('secret split across chunks', () => {
  it('is redacted wherever the text is split', () => {
    const whole = `a ${SECRET} c`;
    for (let first = 1; first < whole.length; first += 1) {
      for (let second = first; second < whole.length; second += 1) {
        const pieces = [whole.slice(0, first), whole.slice(first, second), whole.slice(second)];
        const { fields } = journaled([...pieces.map(text), STOP]);
        const stored = fields.map(({ delta = '' }) => delta).join('');
        expect(stored).toBe('a [redacted] c');
      }
    }
  });

  it('withholds only text that may start a secret', () => {
    const sanitizer = createSanitizer({ secrets: [SECRET], maxInlineChars: 100 });
    for (const piece of ['word ', 'another one', SECRET.slice(1), ''])
      expect(sanitizer.take(text(piece)).map(({ fields }) => fields)).toEqual([text(piece)]);
    expect(sanitizer.take(text('so correct-ho'))).toMatchObject([{ fields: { delta: 'so ' } }]);
    expect(sanitizer.take(text('me'))).toMatchObject([{ fields: { delta: 'correct-home' } }]);
  });

  it('is found in concurrent texts and between other events', () => {
    const child = (delta: string) => event({ type: 'text_delta', delta, parentToolCallId: 'p' });
    const cost = event({ type: 'debug', level: 'info', code: 'x', message: 'between' });
    const { json } = journaled([
      text(SECRET.slice(0, 9)),
      child(SECRET.slice(0, 5)),
      cost,
      text(SECRET.slice(9)),
      child(SECRET.slice(5)),
    ]);
    expect(json.split('[redacted]')).toHaveLength(3);
    expect(json).not.toContain(SECRET.slice(0, 5));
  });

  it('releases withheld text before the end of the message', () => {
    const { fields } = journaled([text('corr'), STOP]);
    expect(fields).toMatchObject([{ type: 'text_delta', delta: 'corr' }, { type: 'message_stop' }]);
  });
});

describe('secret pattern split across chunks', () => {
  // Concatenated, so that secret scanners do not flag this file.
  const join = (...parts: string[]) => parts.join('');
  const KEY = join('ghp', '_', 'AbCdEf0123456789AbCdEf0123456789');
  const PEM = join('-----BEGIN RSA ', 'PRIVATE KEY-----\n', 'MIIEabcd\n'.repeat(400), '-----END RSA PRIVATE KEY-----');

  it.each([
    [`my key is ${KEY} here`, 'my key is [redacted] here'],
    [join('use sk', '-ant-x1Y2z3x1Y2z3, please'), 'use [redacted], please'],
    ['OPENAI_API_KEY=hunter22 next', 'OPENAI_API_KEY=[redacted] next'],
    ['{"password": "two \\"words", "n": 1}', '{"password": "[redacted]", "n": 1}'],
    ['Authorization: Bearer abcdefgh12345 yes', 'Authorization: Bearer [redacted] yes'],
    ['tool --api-key abc123 --fast', 'tool --api-key [redacted] --fast'],
    ['see https://me:pa55word@example.com/x', 'see https://me:[redacted]@example.com/x'],
    [`before ${PEM} after`, 'before [redacted] after'],
    ['sk-ip this: gh is here, npm_config = ok, https://a.b:80/x ----- end', undefined],
  ])('is not readable however it is cut: %#', (whole, clean = whole) => {
    for (const size of [1, 2, 3, 7, 50]) {
      const pieces = Array.from({ length: Math.ceil(whole.length / size) }, (_, at) =>
        whole.slice(at * size, at * size + size),
      );
      const { fields } = journaled([...pieces.map(text), STOP]);
      expect(fields.map(({ delta = '' }) => delta).join('')).toBe(clean);
    }
  });

  it('is redacted if another event comes in between', () => {
    const tool = event({ type: 'tool_call_start', toolCallId: 't', toolName: 'look' });
    const { json } = journaled([
      text(`a ${KEY.slice(0, 12)}`),
      tool,
      text(KEY.slice(12, 30)),
      text(`${KEY.slice(30)} b`),
      STOP,
    ]);
    expect(json).not.toContain(KEY.slice(12, 30));
    expect(json).not.toContain(KEY.slice(30));
  });

  it('withholds no more than may be a secret', () => {
    const sanitizer = createSanitizer({ secrets: [], maxInlineChars: 100 });
    expect(sanitizer.take(text('an answer of words '))).toMatchObject([{ fields: { delta: 'an answer of words ' } }]);
    expect(sanitizer.take(text('with gh'))).toMatchObject([{ fields: { delta: 'with ' } }]);
    expect(sanitizer.take(text('ost'))).toMatchObject([{ fields: { delta: 'ghost' } }]);
  });
});

describe('long value', () => {
  const long = 'abcdefghij'.repeat(100);

  it('is truncated to a string that names the blob', () => {
    const { fields, blobs } = journaled([text(long), event({ type: 'log', source: 'stdout', line: long })]);
    expect(blobs.map((blob) => blob.text)).toEqual([long, long]);
    expect(fields[0].delta).toBe(`${long.slice(0, 100)}\n[900 more characters; all of it is blob ${blobs[0]?.sha256}]`);
    expect(fields[1].line).toContain(blobs[0]?.sha256);
  });

  it('becomes a reference with a preview in a value of unknown shape', () => {
    const { fields, blobs } = journaled([
      event({ type: 'tool_result', toolCallId: 't', toolName: 'x', output: { parts: [long, 'short'] } }),
    ]);
    const $blob = { sha256: blobs[0]?.sha256, chars: 1000, preview: long.slice(0, 100) };
    expect(fields[0].output).toEqual({ parts: [{ $blob }, 'short'] });
  });

  it('becomes one reference if many short strings exceed the limit', () => {
    const output = Array.from({ length: 100 }, (_, n) => ({ n, text: 'short' }));
    const { fields, blobs } = journaled([event({ type: 'tool_result', toolCallId: 't', toolName: 'x', output })]);
    expect(JSON.parse(blobs.at(-1)?.text ?? '')).toEqual(output);
    expect(fields[0].output.$blob.sha256).toBe(blobs.at(-1)?.sha256);
  });

  it('has no secrets in the blob', () => {
    const { blobs } = journaled([text(`${long}${SECRET}${long}`)]);
    expect(blobs[0]?.text).toBe(`${long}[redacted]${long}`);
  });

  it('has no prefix if it is an image', () => {
    const { fields, blobs } = journaled([event({ type: 'image_output', mimeType: 'image/png', base64: long })]);
    expect(fields[0].base64).toBe(`[1000 characters; all of it is blob ${blobs[0]?.sha256}]`);
  });

  it('is truncated between characters', () => {
    const { fields } = journaled([text('😀'.repeat(100))], { maxInlineChars: 101 });
    expect(fields[0].delta.isWellFormed()).toBe(true);
  });
});

describe('value that cannot be sanitized', () => {
  const hostile = (input: unknown) =>
    journaled([event({ type: 'tool_call_ready', toolCallId: 't', toolName: 'x', input })]).fields[0];

  it('is replaced by a placeholder', () => {
    const throwing = Object.defineProperty({}, 'x', {
      enumerable: true,
      get: () => {
        throw new Error('no');
      },
    });
    expect(hostile(throwing)).toMatchObject({
      type: 'tool_call_ready',
      toolCallId: 't',
      input: '[could not be stored]',
    });
  });

  it('is truncated if it is endless', () => {
    const circle: Record<string, unknown> = { n: 1n, f: () => 1 };
    circle.self = circle;
    circle.twice = [circle, circle];
    expect(hostile(circle)).toMatchObject({ type: 'tool_call_ready' });
  });
});
