import { expect, test } from 'vitest';
import { blobOf, diffLines, diffOf, subjectOf, textOf } from './tool.logic.ts';

test('a tool call is known by what it is about, whatever its agent calls that', () => {
  const subject = (input: unknown) => subjectOf({ input, partialInput: '', name: 'Tool' });
  expect([
    subject({ description: 'list', command: 'ls -l\nmore' }),
    subject({ filePath: 'a.ts', content: 'x' }),
    subject({ command: ['git', 'status'] }),
    subject({ odd: 'value' }),
    subject({ count: 3 }),
    subjectOf({ input: undefined, partialInput: '{"comm', name: 'Tool' }),
  ]).toEqual(['ls -l', 'a.ts', 'git status', 'value', 'Tool', '{"comm']);
});

test('a change is shown as the agent tells it, else as its input says', () => {
  const diff = '--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n same\n';
  expect(diffLines(diff)).toEqual([
    { kind: 'head', text: '@@ -1 +1 @@' },
    { kind: 'removed', text: 'old' },
    { kind: 'added', text: 'new' },
    { kind: 'same', text: 'same' },
  ]);
  expect(diffOf({ changes: [], input: { old_string: 'a', new_string: 'b\nc' } })).toEqual([
    { kind: 'removed', text: 'a' },
    { kind: 'added', text: 'b' },
    { kind: 'added', text: 'c' },
  ]);
  expect(diffOf({ changes: [{ path: 'x', change: 'update' }], input: { content: 'all' } })).toEqual([]);
});

test('what a tool returns is read as text, and what stands elsewhere is known', () => {
  expect(textOf([{ type: 'text', text: 'one' }, 'two'])).toBe('one\ntwo');
  expect(blobOf({ $blob: { sha256: 'ab', chars: 9, preview: 'be' } })).toEqual({
    sha256: 'ab',
    chars: 9,
    preview: 'be',
  });
  expect(blobOf('text')).toBeNull();
});
