import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hookSpec, SHAPES, type ShapeName } from '../../test/hook-specs.ts';
import type { ConfigFormat } from '../contract/auth-and-config.ts';
import { sameContent } from '../native-config/changes.ts';
import { codecOf } from '../native-config/codecs.ts';
import { plainData } from '../native-config/read.ts';
import { hookEditsOf } from './edits.ts';

const name = fc.stringMatching(/^[A-Za-z][\w-]{0,8}$/);
const word = fc.stringMatching(/^[ -~]{0,20}$/);
/** A user's hooks for an event, sometimes with entries of ours from another version or in the user's group. */
const command = fc.oneof(word, fc.constantFrom('amux hooks one Old', 'amux hooks one Stop', 'amux hooks other Stop'));
const hook = fc.record({ type: fc.constant('command'), command });
const group = fc.record({ matcher: word, hooks: fc.array(hook, { maxLength: 3 }) }, { requiredKeys: ['hooks'] });
const flat = fc.record({ command, note: word }, { requiredKeys: ['command'] });
const event = fc.oneof(fc.constantFrom('Start', 'Tool', 'Stop', 'Older'), name);

function settings(isGrouped: boolean) {
  const list: fc.Arbitrary<unknown[]> = isGrouped
    ? fc.array(group, { maxLength: 3 })
    : fc.array(flat, { maxLength: 3 });
  const table = fc.dictionary(event, list, { maxKeys: 4 });
  const others = fc.dictionary(
    name.filter((key) => !['hooks', 'agent', 'version'].includes(key)),
    fc.oneof(word, fc.integer(), fc.boolean()),
    {
      maxKeys: 3,
    },
  );
  return fc.tuple(others, fc.option(table, { nil: undefined }));
}

const TABLES = ['json-groups', 'json-flat', 'toml-groups', 'yaml-list'] as const;
const FORMAT: Record<(typeof TABLES)[number], ConfigFormat> = {
  'json-groups': 'json',
  'json-flat': 'json',
  'toml-groups': 'toml',
  'yaml-list': 'yaml',
};

async function editOf(shape: ShapeName) {
  const [edit] = await hookEditsOf('one', hookSpec(shape));
  return edit!;
}

/** A text with this content, in the layout of the codec. */
async function write(
  shape: (typeof TABLES)[number],
  [others, table]: [Record<string, unknown>, unknown],
): Promise<string> {
  const codec = await codecOf(FORMAT[shape]);
  const whole =
    table === undefined
      ? others
      : { ...others, ...(shape === 'yaml-list' ? { agent: { hooks: table } } : { hooks: table }) };
  return codec.edit(
    '',
    Object.entries(whole).map(([key, value]) => ({ path: [key], value })),
  );
}

/** Everything except our entries; empty containers are dropped. */
function theirs(content: unknown, isTop = true): unknown {
  if (Array.isArray(content)) {
    const kept = content
      .filter((each) => !(isOwn(each) && typeof each === 'object'))
      .map((each) => theirs(each, false));
    return kept.filter((each, at) => !(isEmptyGroup(each) && !isEmptyGroup(content[at])));
  }
  if (typeof content !== 'object' || content === null) return content;
  const entries = Object.entries(content).map(([key, value]) => [key, theirs(value, false)] as const);
  return Object.fromEntries(entries.filter(([key, value]) => !(isTop && key === 'version') && !isEmpty(value)));
}

const isEmpty = (value: unknown) => typeof value === 'object' && value !== null && Object.keys(value).length === 0;
const isEmptyGroup = (value: unknown) =>
  typeof value === 'object' && value !== null && (!('hooks' in value) || isEmpty(value.hooks));
const isOwn = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  Object.values(value).some((each) => typeof each === 'string' && each.startsWith('amux hooks one '));

describe.each(TABLES)('hooks in a file of shape %s', (shape) => {
  it('are added once, however often installed, next to the user’s hooks', async () => {
    const edit = await editOf(shape);
    const codec = await codecOf(FORMAT[shape]);
    await fc.assert(
      fc.asyncProperty(settings(shape.endsWith('groups')), async (content) => {
        const text = await write(shape, content);
        const once = edit.put(text);
        expect(edit.put(once)).toBe(once);
        expect(edit.has(once)).toBe(true);
        expect(theirs(plainData(codec.parse(once)))).toEqual(theirs(plainData(codec.parse(text))));
        const commands = once.match(/amux hooks one \w+/g)?.toSorted();
        expect(commands).toEqual(['amux hooks one Start', 'amux hooks one Stop', 'amux hooks one Tool']);
      }),
      { numRuns: 60 },
    );
  }, 120_000);

  it('are removed without removing anything else', async () => {
    const edit = await editOf(shape);
    const codec = await codecOf(FORMAT[shape]);
    await fc.assert(
      fc.asyncProperty(settings(shape.endsWith('groups')), async (content) => {
        const text = await write(shape, content);
        const left = edit.take(edit.put(text), edit.has(text) ? undefined : text);
        expect(left ?? '').not.toContain('amux hooks one ');
        if (edit.has(text))
          expect(theirs(plainData(codec.parse(left ?? '')))).toEqual(theirs(plainData(codec.parse(text))));
        else expect(sameContent(codec.parse(left ?? ''), codec.parse(text))).toBe(true);
      }),
      { numRuns: 60 },
    );
  }, 120_000);

  it('are rejected with the line if the file has another value there', async () => {
    const edit = await editOf(shape);
    const text = {
      json: '{\n  "hooks": {\n    "Stop": 7\n  }\n}\n',
      toml: '[hooks]\nStop = 7\n',
      yaml: 'agent:\n  hooks:\n    Stop: 7\n',
      jsonc: '',
    }[FORMAT[shape]];
    expect(() => edit.put(text)).toThrow(
      expect.objectContaining({ position: expect.objectContaining({ line: FORMAT[shape] === 'toml' ? 2 : 3 }) }),
    );
  });
});

describe('hooks in a user-written text', () => {
  it('leave every text unchanged after removal', async () => {
    const edit = await editOf('markdown-block');
    const text = fc
      .array(fc.constantFrom('a', '\n', '\r\n', '# head', '<!-- x -->'), { maxLength: 12 })
      .map((parts) => parts.join(''));
    await fc.assert(
      fc.asyncProperty(fc.option(text, { nil: undefined }), text, async (before, later) => {
        const once = edit.put(before);
        expect(edit.put(once)).toBe(once);
        expect(edit.take(once)).toBe(before);
        expect(edit.take(once + later) ?? '').toContain(later);
      }),
    );
  });
});

it('supports writing every shape', async () => {
  for (const shape of SHAPES) {
    const edits = await hookEditsOf('one', hookSpec(shape));
    for (const edit of edits) {
      const text = edit.put(undefined);
      expect(text).toContain('amux hooks one ');
      expect(edit.take(text)).toBeUndefined();
    }
  }
});
