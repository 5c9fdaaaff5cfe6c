import { expect, test } from 'vitest';
import { blobOf, diffLines, diffOf, imagesOf, subjectOf, textOf } from './tool.logic.ts';

test('finds the subject of a tool call under the field names of each agent', () => {
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

test('parses a unified diff', () => {
  const diff = '--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n same\n';
  expect(diffLines(diff)).toEqual([
    { kind: 'head', text: '@@ -1 +1 @@' },
    { kind: 'removed', text: 'old' },
    { kind: 'added', text: 'new' },
    { kind: 'same', text: 'same' },
  ]);
});

test('derives the diff of a requested edit from the input format of each agent', () => {
  const lines = (input: unknown, changes: Parameters<typeof diffOf>[0]['changes'] = []) =>
    diffOf({ changes, input, toolKind: 'edit' }).map(({ kind, text }) => `${kind} ${text}`);
  expect(lines({ old_string: 'a', new_string: 'b\nc' })).toEqual(['removed a', 'added b', 'added c']);
  // pi
  expect(lines({ path: 'a.txt', edits: [{ oldText: 'beta', newText: 'gamma' }] })).toEqual([
    'removed beta',
    'added gamma',
  ]);
  // Claude Code, Qwen, Droid; Copilot
  expect(lines({ file_path: 'a.txt', content: 'one\ntwo\n' })).toEqual(['added one', 'added two']);
  expect(lines({ path: 'w.txt', file_text: 'written' }, [{ path: 'w.txt', change: 'create' }])).toEqual([
    'added written',
  ]);
  // Codex reports a new file by its content alone.
  const added = { path: '/w/p.txt', kind: { type: 'add' }, diff: 'hello\n' };
  expect(lines({ changes: [added] })).toEqual(['added hello']);
  expect(lines({ changes: [added] }, [{ path: '/w/p.txt', change: 'create', diff: 'hello\n' }])).toEqual([
    'added hello',
  ]);
  expect(subjectOf({ input: { changes: [added] }, partialInput: '', name: 'apply_patch' })).toBe('/w/p.txt');
  expect(diffOf({ changes: [], input: { content: 'a note' }, toolKind: 'other' })).toEqual([]);
});

test('separates images from text in tool output', () => {
  const image = { type: 'image', mimeType: 'image/png', data: 'AAAA' };
  const claude = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'BBBB' } };
  const output = [
    { type: 'text', text: 'a dot' },
    image,
    claude,
    { type: 'image', mimeType: 'image/svg+xml', data: 'x' },
  ];
  expect(imagesOf(output).map(({ base64 }) => base64)).toEqual(['AAAA', 'BBBB']);
  expect(textOf([{ type: 'text', text: 'a dot' }, image])).toBe('a dot');
});

test('reads tool output as text and recognizes blobs', () => {
  expect(textOf([{ type: 'text', text: 'one' }, 'two'])).toBe('one\ntwo');
  expect(blobOf({ $blob: { sha256: 'ab', chars: 9, preview: 'be' } })).toEqual({
    sha256: 'ab',
    chars: 9,
    preview: 'be',
  });
  expect(blobOf('text')).toBeNull();
});
