import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ConfigFormat } from '../contract/auth-and-config.ts';
import { applyChanges, editChecked, sameContent, valueAtNative } from './changes.ts';
import { type ConfigCodec, codecOf, type NativePath } from './codecs.ts';

const FORMATS = ['json', 'jsonc', 'toml', 'yaml'] as const satisfies readonly ConfigFormat[];

type Data = string | number | boolean | Data[] | { [key: string]: Data };

const key = fc.constantFrom('model', 'env', 'on', 'a b', 'x.y', '42', 'ünï', 'llm', 'deep', '__proto__', 'constructor');
const scalar: fc.Arbitrary<Data> = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.constantFrom('yes', 'null', '0o17', '12:30:45', '# no comment', '- a', 'a: b', '"', "it's", 'two\nlines', '~', ''),
  fc.string({ unit: 'grapheme', maxLength: 6 }),
  fc.integer(),
  fc.constantFrom(0.5, -1.25, 1e21),
  fc.boolean(),
);
const { tree: table } = fc.letrec<{ value: Data; tree: Record<string, Data> }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.array(scalar, { maxLength: 3 }),
    tie('tree') as fc.Arbitrary<Data>,
  ),
  tree: fc.dictionary(key, tie('value'), { maxKeys: 4, noNullPrototype: true }),
}));
const path = fc.array(key, { minLength: 1, maxLength: 3 });

/** A typical file: written by our own codec, then every line that can have a comment gets one. */
interface Written {
  text: string;
  comments: string[];
}

function withComments(format: ConfigFormat, text: string, eol: string): Written {
  const comments: string[] = [];
  const say = () => {
    const comment = `${format.startsWith('json') ? '//' : '#'} about ${comments.length}`;
    comments.push(`about ${comments.length}`);
    return comment;
  };
  // Within a multi-line text, a comment would be part of it.
  if (format !== 'json' && format !== 'jsonc' && /"""|'''|[|>][-+]?\d*\n/.test(text))
    return { text: text.replaceAll('\n', eol), comments };
  const lines = text.split('\n').flatMap((line) => {
    const indent = /^\s*/.exec(line)?.[0] ?? '';
    if (line.trim() === '') return [line];
    return [`${indent}${say()}`, `${line} ${say()}`];
  });
  return { text: lines.join(eol), comments };
}

function present({ comments }: Written, text: string): string[] {
  return comments.filter((comment) => new RegExp(`${comment}(?!\\d)`).test(text));
}

/** The previous content, if only this path was changed. */
function without(content: unknown, at: NativePath): unknown {
  return applyChanges(content, [{ path: at, value: undefined }]);
}

async function documentIn(format: ConfigFormat, content: Record<string, Data>, crlf: boolean): Promise<Written> {
  const codec = await codecOf(format);
  const plain = codec.edit(
    '',
    Object.entries(content).map(([name, value]) => ({ path: [name], value })),
  );
  return withComments(format, plain, crlf ? '\r\n' : '\n');
}

/** Some paths lead through a value that is not an object; a refusal is correct there, and for unsupported values. */
function tryEdit(codec: ConfigCodec, text: string, at: NativePath, value: unknown): string | undefined {
  try {
    applyChanges(codec.parse(text), [{ path: at, value }]);
  } catch {
    return undefined;
  }
  return editChecked(codec, text, [{ path: at, value }]);
}

describe.each(FORMATS)('%s file', (format) => {
  it('contains the new value and keeps everything else, with comments', { timeout: 120_000 }, async () => {
    const codec = await codecOf(format);
    const property = fc.asyncProperty(
      table,
      path,
      table,
      scalar,
      fc.boolean(),
      async (content, at, tree, one, crlf) => {
        const written = await documentIn(format, content, crlf);
        const before = codec.parse(written.text);
        expect(sameContent(before, content)).toBe(true);
        for (const value of [one, tree]) {
          const replaces = valueAtNative(before, at);
          const edited = tryEdit(codec, written.text, at, value);
          if (edited === undefined) continue;
          expect(sameContent(valueAtNative(codec.parse(edited), at), value)).toBe(true);
          expect(
            sameContent(without(codec.parse(edited), at), without(applyChanges(before, [{ path: at, value }]), at)),
          ).toBe(true);
          if (replaces === undefined || typeof replaces !== 'object') {
            expect(present(written, edited)).toEqual(written.comments);
          }
          if (written.text.includes('\r\n') && !/"""|'''/.test(edited))
            expect(edited.replaceAll('\r\n', '')).not.toContain('\n');
        }
      },
    );
    await fc.assert(property, { numRuns: 120 });
  });

  it('is unchanged after a set value is removed again', { timeout: 120_000 }, async () => {
    const codec = await codecOf(format);
    const property = fc.asyncProperty(table, path, scalar, async (content, at, value) => {
      const written = await documentIn(format, content, false);
      const before = codec.parse(written.text);
      fc.pre(valueAtNative(before, at) === undefined);
      const edited = tryEdit(codec, written.text, at, value);
      if (edited === undefined) return;
      const restored = editChecked(codec, edited, [{ path: at, value: undefined }]);
      expect(sameContent(withoutEmpty(codec.parse(restored)), withoutEmpty(before))).toBe(true);
      expect(present(written, restored)).toEqual(written.comments);
    });
    await fc.assert(property, { numRuns: 80 });
  });

  it('keeps its byte order mark', async () => {
    const codec = await codecOf(format);
    const text = editChecked(codec, '', [{ path: ['a'], value: 1 }]);
    const edited = editChecked(codec, `\uFEFF${text}`, [{ path: ['b'], value: 2 }]);
    expect(edited.startsWith('\uFEFF')).toBe(true);
    expect(codec.parse(edited.slice(1))).toEqual({ a: 1, b: 2 });
  });

  it('rejects a value below one that is not an object', async () => {
    const codec = await codecOf(format);
    const text = editChecked(codec, '', [{ path: ['model'], value: 'big' }]);
    expect(() => editChecked(codec, text, [{ path: ['model', 'name'], value: 'x' }])).toThrow(
      'model is a string, not an object',
    );
  });

  it('supports adding, changing and removing list entries', async () => {
    const codec = await codecOf(format);
    const set = (text: string, at: NativePath, value: unknown) => editChecked(codec, text, [{ path: at, value }]);
    let text = set('', ['servers', 0], { name: 'one', command: 'a' });
    text = set(text, ['servers', 1], { name: 'two', command: 'b' });
    text = set(text, ['servers', 0, 'command'], 'c');
    expect(codec.parse(text)).toEqual({
      servers: [
        { name: 'one', command: 'c' },
        { name: 'two', command: 'b' },
      ],
    });
    expect(codec.parse(set(text, ['servers', 0], undefined))).toEqual({ servers: [{ name: 'two', command: 'b' }] });
  });
});

it('keeps the comment of a one-line YAML value that becomes a multi-line one', async () => {
  const codec = await codecOf('yaml');
  const text = '# before\nx: 0.5 # same line\ny: 1\n';
  const value = { deep: ['two\nlines'] };
  const edited = editChecked(codec, text, [{ path: ['x'], value }]);
  expect(codec.parse(edited)).toEqual({ x: value, y: 1 });
  expect(edited).toContain('# before');
  expect(edited).toContain('# same line');
});

it('does not change a file with a duplicate key', async () => {
  const codec = await codecOf('json');
  expect(codec.parse('{"a":1,"a":2}')).toEqual({ a: 2 });
  expect(() => editChecked(codec, '{"a":1,"a":2}', [{ path: ['a'], value: 3 }])).toThrow('without losing data');
});

function withoutEmpty(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).map(([name, inner]): [string, unknown] => [name, withoutEmpty(inner)]);
  return Object.fromEntries(entries.filter(([, inner]) => !isEmptyObject(inner)));
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;
}
