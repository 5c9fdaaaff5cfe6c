import { describe, expect, it } from 'vitest';
import { readPatch } from './patch.logic.ts';

const PATCH = `diff --git a/notes.sql b/notes.sql
index 1111111..2222222 100644
--- a/notes.sql
+++ b/notes.sql
@@ -1,3 +1,3 @@ select
 one
--- a comment
+++ added twice
 three
@@ -10 +10,2 @@
 ten
+eleven
\\ No newline at end of file
`;

describe('readPatch', () => {
  it('numbers the lines of both sides and treats header-like content as lines', () => {
    expect(readPatch(PATCH)).toEqual([
      {
        title: 'select',
        lines: [
          { kind: 'same', before: 1, after: 1, text: 'one' },
          { kind: 'removed', before: 2, after: null, text: '-- a comment' },
          { kind: 'added', before: null, after: 2, text: '++ added twice' },
          { kind: 'same', before: 3, after: 3, text: 'three' },
        ],
      },
      {
        title: '',
        lines: [
          { kind: 'same', before: 10, after: 10, text: 'ten' },
          { kind: 'added', before: null, after: 11, text: 'eleven' },
          { kind: 'note', before: null, after: null, text: 'No newline at end of file' },
        ],
      },
    ]);
  });

  it('returns no hunks for a file without lines', () => {
    expect(readPatch('')).toEqual([]);
    expect(readPatch('diff --git a/x b/x\nnew file mode 100644\n')).toEqual([]);
  });
});
