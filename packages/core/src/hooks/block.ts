/** How a block of ours is told apart in a text of others: each mark is a line. */
export interface BlockMarks {
  begin(note: string): string;
  end: string;
}

/** What stood there before, so that it can be so again. */
const NOTES = { ended: '', open: ' (after an open line)', own: ' (in a file of its own)' } as const;

interface Block {
  before: string;
  body: string;
  after: string;
  note: keyof typeof NOTES;
}

/** Undefined: there is none. Throws where it has no end. */
function findBlock(text: string, marks: BlockMarks): Block | undefined {
  for (const note of ['ended', 'open', 'own'] as const) {
    const begin = `${marks.begin(NOTES[note])}\n`;
    const at = text.startsWith(begin) ? 0 : text.indexOf(`\n${begin}`) + 1;
    if (at === 0 && !text.startsWith(begin)) continue;
    const start = at + begin.length;
    const end = `${marks.end}\n`;
    const endAt = text.startsWith(end, start) ? start : text.indexOf(`\n${end}`, start) + 1;
    if (endAt === 0) throw new Error(`"${begin.trim()}" has no "${marks.end}" behind it`);
    return { before: text.slice(0, at), body: text.slice(start, endAt), after: text.slice(endAt + end.length), note };
  }
  return undefined;
}

/** What the block says; undefined: there is none. */
export function readBlock(text: string | undefined, marks: BlockMarks): string | undefined {
  return text === undefined ? undefined : findBlock(text, marks)?.body;
}

/** In its place where there is one, else at the end. Every line of `body` ends. */
export function putBlock(text: string | undefined, marks: BlockMarks, body: string): string {
  const found = text === undefined ? undefined : findBlock(text, marks);
  const note = found?.note ?? (text === undefined ? 'own' : text === '' || text.endsWith('\n') ? 'ended' : 'open');
  const before = found?.before ?? `${text ?? ''}${note === 'open' ? '\n' : ''}`;
  return `${before}${marks.begin(NOTES[note])}\n${body}${marks.end}\n${found?.after ?? ''}`;
}

/** The text as it was before; undefined: there was no file, and nothing is left of it. */
export function takeBlock(text: string, marks: BlockMarks): string | undefined {
  const found = findBlock(text, marks);
  if (!found) return text;
  const { before, after, note } = found;
  const left = note === 'open' && after === '' ? before.slice(0, -1) : before + after;
  return left === '' && note === 'own' ? undefined : left;
}
