/** Markers of our block in a user's text: each is a separate line. */
export interface BlockMarks {
  begin(note: string): string;
  end: string;
}

/** How the text ended before, so that it can be restored. */
const NOTES = { ended: '', open: ' (after an open line)', own: ' (in its own file)' } as const;

interface Block {
  before: string;
  body: string;
  after: string;
  note: keyof typeof NOTES;
}

/** Undefined: no block. Throws if it has no end. */
function findBlock(text: string, marks: BlockMarks): Block | undefined {
  for (const note of ['ended', 'open', 'own'] as const) {
    const begin = `${marks.begin(NOTES[note])}\n`;
    const at = text.startsWith(begin) ? 0 : text.indexOf(`\n${begin}`) + 1;
    if (at === 0 && !text.startsWith(begin)) continue;
    const start = at + begin.length;
    const end = `${marks.end}\n`;
    const endAt = text.startsWith(end, start) ? start : text.indexOf(`\n${end}`, start) + 1;
    if (endAt === 0) throw new Error(`"${begin.trim()}" has no matching "${marks.end}"`);
    return { before: text.slice(0, at), body: text.slice(start, endAt), after: text.slice(endAt + end.length), note };
  }
  return undefined;
}

/** Content of the block; undefined: no block. */
export function readBlock(text: string | undefined, marks: BlockMarks): string | undefined {
  return text === undefined ? undefined : findBlock(text, marks)?.body;
}

/** Replaces an existing block, or appends one. Every line of `body` must end with a newline. */
export function insertBlock(text: string | undefined, marks: BlockMarks, body: string): string {
  const found = text === undefined ? undefined : findBlock(text, marks);
  const note = found?.note ?? (text === undefined ? 'own' : text === '' || text.endsWith('\n') ? 'ended' : 'open');
  const before = found?.before ?? `${text ?? ''}${note === 'open' ? '\n' : ''}`;
  return `${before}${marks.begin(NOTES[note])}\n${body}${marks.end}\n${found?.after ?? ''}`;
}

/** The text without the block; undefined: the file did not exist before and is empty now. */
export function removeBlock(text: string, marks: BlockMarks): string | undefined {
  const found = findBlock(text, marks);
  if (!found) return text;
  const { before, after, note } = found;
  const left = note === 'open' && after === '' ? before.slice(0, -1) : before + after;
  return left === '' && note === 'own' ? undefined : left;
}
