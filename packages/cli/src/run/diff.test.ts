import { describe, expect, it } from 'vitest';
import { diffOfInput, diffOfPatch } from './diff.ts';

const short = (lines: ReturnType<typeof diffOfInput>) => lines.map(({ sign, text }) => `${sign}${text}`);

describe('diffOfInput', () => {
  it('shows the changed lines of a replacement without context', () => {
    const input = { file_path: 'a', old_string: 'one\ntwo\nthree\n', new_string: 'one\nzwei\nthree\n' };
    expect(short(diffOfInput(input))).toEqual(['-two', '+zwei']);
    expect(short(diffOfInput({ edits: [{ oldText: 'a', newText: 'b' }] }))).toEqual(['-a', '+b']);
  });

  it('shows a written file as added', () => {
    expect(short(diffOfInput({ path: 'a', content: 'x\ny\n' }))).toEqual(['+x', '+y']);
  });

  it('is empty for input that changes no file', () => {
    for (const input of [null, 'text', {}, { content: 'a message' }, { command: 'ls' }]) {
      expect(diffOfInput(input)).toEqual([]);
    }
  });
});

describe('diffOfPatch', () => {
  it('keeps the changed lines of a unified diff', () => {
    const patch = '--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n same\n-old\n+new\n';
    expect(short(diffOfPatch(patch))).toEqual(['-old', '+new']);
  });
});
