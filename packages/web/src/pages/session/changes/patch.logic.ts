export interface PatchLine {
  kind: 'added' | 'removed' | 'same' | 'note';
  /** Line number in the old and new file; null if the line is not in it. */
  before: number | null;
  after: number | null;
  text: string;
}

export interface Hunk {
  /** Section heading that git adds after the line numbers, usually the enclosing function. */
  title: string;
  lines: readonly PatchLine[];
}

const HEAD = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/;

/** Parses git's patch of one file. Counts lines by the hunk header, so that "--- x" inside a hunk is a removed line. */
export function readPatch(patch: string): Hunk[] {
  const hunks: { title: string; lines: PatchLine[] }[] = [];
  let [before, after, beforeLeft, afterLeft] = [0, 0, 0, 0];
  for (const line of patch.replace(/\n$/, '').split('\n')) {
    const hunk = hunks.at(-1);
    if (hunk && (beforeLeft > 0 || afterLeft > 0)) {
      const text = line.slice(1);
      if (line.startsWith('+')) {
        hunk.lines.push({ kind: 'added', before: null, after, text });
        after += 1;
        afterLeft -= 1;
        continue;
      }
      if (line.startsWith('-')) {
        hunk.lines.push({ kind: 'removed', before, after: null, text });
        before += 1;
        beforeLeft -= 1;
        continue;
      }
      if (!line.startsWith('\\')) {
        hunk.lines.push({ kind: 'same', before, after, text });
        before += 1;
        after += 1;
        beforeLeft -= 1;
        afterLeft -= 1;
        continue;
      }
    }
    const head = HEAD.exec(line);
    if (head) {
      before = Number(head[1]);
      beforeLeft = Number(head[2] ?? 1);
      after = Number(head[3]);
      afterLeft = Number(head[4] ?? 1);
      hunks.push({ title: head[5] ?? '', lines: [] });
    } else if (hunk && line.startsWith('\\')) {
      hunk.lines.push({ kind: 'note', before: null, after: null, text: line.slice(1).trim() });
    }
  }
  return hunks;
}
