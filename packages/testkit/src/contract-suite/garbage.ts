import { EVENT_STREAM_TAG, type HttpMessage } from '@agent-mux/core';
import fc from 'fast-check';

/** Names that a table of types must not answer to. */
const TREACHEROUS = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'then', ''];
const COMMON_TYPES = [
  'text',
  'message',
  'result',
  'error',
  'system',
  'assistant',
  'user',
  'event',
  'tool_use',
  'usage',
];

/** Any characters, including lone surrogates. */
const noise = fc.array(fc.nat(0xffff), { maxLength: 20 }).map((codes) => String.fromCharCode(...codes));

/**
 * Lines that no agent should print and some do: noise, truncated JSON, JSON of the wrong structure, and damaged
 * recorded lines.
 */
export function garbageLine(recorded: readonly string[]): fc.Arbitrary<string> {
  const json = fc.json({ maxDepth: 4 });
  const message = fc
    .record({
      type: fc.constantFrom(...COMMON_TYPES, ...TREACHEROUS),
      message: fc.jsonValue(),
      content: fc.jsonValue(),
      id: fc.jsonValue(),
    })
    .map((value) => JSON.stringify(value));
  const base = [noise, json, cut(json), message];
  if (recorded.length === 0) return fc.oneof(...base);
  const line = fc.constantFrom(...recorded);
  return fc.oneof(...base, line, cut(line), damage(line), damage(line), damage(line));
}

export function garbageHttp(recorded: readonly string[], tags: readonly string[]): fc.Arbitrary<HttpMessage> {
  const data = garbageLine(recorded);
  const tag = fc.constantFrom(...tags, EVENT_STREAM_TAG, 'contract', ...TREACHEROUS);
  const status = fc.constantFrom(200, 204, 302, 400, 401, 404, 429, 500);
  return fc.oneof(
    fc.constant<HttpMessage>({ kind: 'connected' }),
    data.map((text): HttpMessage => ({ kind: 'event', data: text })),
    fc
      .record({ tag, status, body: fc.jsonValue() })
      .map((reply): HttpMessage => ({ kind: 'reply', headers: {}, ...reply })),
    fc
      .record({ tag, format: fc.constantFrom('text' as const, 'line' as const, 'sse' as const), data })
      .map((chunk): HttpMessage => ({ kind: 'chunk', ...chunk })),
    fc.record({ tag, message: fc.string() }).map((failed): HttpMessage => ({ kind: 'failed', ...failed })),
  );
}

/** Lines that are hard to parse, each with a name. */
export function hardLines(): [string, string][] {
  const deep = 2_000;
  return [
    ['an empty line', ''],
    ['a NUL', '\0'],
    ['a lone surrogate', '"\ud800"'],
    ['JSON that is not an object', '[1, null, "x"]'],
    ['null', 'null'],
    ['a number that is infinite', '{"type":"result","usage":{"input_tokens":1e999}}'],
    ['a prototype', '{"__proto__":{"polluted":true},"type":"__proto__","message":{"__proto__":{"polluted":true}}}'],
    ['brackets without end', '['.repeat(100_000)],
    ['objects without end', '{"type":'.repeat(20_000)],
    ['deep JSON', `${'{"message":'.repeat(deep)}1${'}'.repeat(deep)}`],
    ['deep content', `{"type":"assistant","message":{"content":${'['.repeat(deep)}${']'.repeat(deep)}}}`],
  ];
}

/** Long lines of one kind, on which a backtracking expression takes forever. */
export function longLines(length: number): [string, string][] {
  return [
    ['letters', 'a'.repeat(length)],
    ['blanks', ' '.repeat(length)],
    ['digits', '1'.repeat(length)],
    ['words', 'error: rate limit '.repeat(length / 18)],
    ['brackets', '('.repeat(length)],
    ['quotes', '"\\'.repeat(length / 2)],
    [
      'a long text in JSON',
      JSON.stringify({ type: 'text', text: 'a '.repeat(length / 2), message: 'x'.repeat(length) }),
    ],
  ];
}

function cut(line: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .tuple(line, fc.double({ min: 0, max: 1, noNaN: true }))
    .map(([text, at]) => text.slice(0, text.length * at));
}

/** A recorded line with one of its values replaced by another, or taken away. */
function damage(line: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const other = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom<fc.JsonValue>(...TREACHEROUS),
    fc.constant(undefined),
  );
  return fc.tuple(line, fc.nat(), other).map(([text, nth, value]) => {
    try {
      return JSON.stringify(withOther(JSON.parse(text), nth, value)) ?? '';
    } catch {
      return text;
    }
  });
}

function withOther(root: unknown, nth: number, value: unknown): unknown {
  const places: [Record<string, unknown>, string][] = [];
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const fields = node as Record<string, unknown>;
    for (const key of Object.keys(fields)) {
      places.push([fields, key]);
      walk(fields[key]);
    }
  };
  walk(root);
  const place = places[nth % Math.max(1, places.length)];
  if (!place) return value;
  const [node, key] = place;
  if (value === undefined) delete node[key];
  else node[key] = value;
  return root;
}
