import type { Stream } from './screen.ts';
import { columnsOf, widthOf } from './width.ts';

/** What stands below the output, row by row, each narrower than the terminal. */
export interface FooterRows {
  rows: readonly string[];
  /** Where the cursor is to stand; without it, behind the last row. */
  cursor?: { row: number; column: number };
}

const NOTHING: FooterRows = { rows: [] };
const TAB = 8;

/**
 * Rows below the output of a terminal: a line that is typed, a line that tells what goes on. Output is written above them,
 * also into a line that has not ended, so it knows the column where that stands. What is drawn is one write: nothing flickers.
 */
export class Footer {
  readonly #stream: Stream;
  #wanted: FooterRows = NOTHING;
  /** The row of the cursor within the footer; undefined while it is not drawn. */
  #drawnAt: number | undefined;
  #drawn = '';
  /** Where the output goes on. As many as the terminal has: its last row is full. */
  #column = 0;
  /** What is to stand below output that comes now; some rows only tell that nothing comes. */
  forOutput: (() => FooterRows) | undefined;
  /** When output came last. */
  lastWrite = 0;

  constructor(stream: Stream) {
    this.#stream = stream;
  }

  /** Output to the terminal; `to` is one of the streams that lead to it. */
  write(to: Stream, text: string): void {
    if (text === '') return;
    this.lastWrite = Date.now();
    const before = this.#erased(text);
    this.#follow(text);
    if (this.forOutput) this.#wanted = this.forOutput();
    to.write(`${before}${text}${this.#drawing()}`);
  }

  /** Other rows than before. */
  set(wanted: FooterRows): void {
    this.#wanted = wanted;
    const key = JSON.stringify(wanted);
    if (key === this.#drawn) return;
    const text = `${this.#erased('')}${this.#drawing()}`;
    if (text !== '') this.#stream.write(text);
  }

  clear(): void {
    this.set(NOTHING);
  }

  /** The terminal has another width, or something else has written to it. */
  redraw(): void {
    this.#drawn = '';
    this.set(this.#wanted);
  }

  /** What takes the footer away and brings the cursor to where the output goes on. */
  #erased(next: string): string {
    if (this.#drawnAt === undefined) return '';
    const up = this.#drawnAt > 0 ? `\x1b[${this.#drawnAt}A` : '';
    this.#drawnAt = undefined;
    this.#drawn = '';
    const gone = `${up}\r\x1b[J`;
    if (this.#column === 0) return gone;
    const isFull = this.#column >= columnsOf(this.#stream);
    if (!isFull) return `${gone}\x1b[A\x1b[${this.#column + 1}G`;
    // The cursor stands where the terminal would have broken the line; a line break must not make an empty one.
    if (next.startsWith('\n')) return `${gone}\x1b[A`;
    this.#column = 0;
    return gone;
  }

  #drawing(): string {
    const { rows, cursor } = this.#wanted;
    if (rows.length === 0) return '';
    this.#drawn = JSON.stringify(this.#wanted);
    const last = rows.length - 1;
    const at = cursor?.row ?? last;
    this.#drawnAt = at;
    const back = cursor
      ? `${last > at ? `\x1b[${last - at}A` : ''}\r${cursor.column > 0 ? `\x1b[${cursor.column}C` : ''}`
      : '';
    return `${this.#column > 0 ? '\n' : ''}${rows.join('\n')}${back}`;
  }

  #follow(text: string): void {
    const columns = columnsOf(this.#stream);
    const begun = text.lastIndexOf('\n');
    if (begun !== -1) this.#column = 0;
    for (const piece of withoutColours(text.slice(begun + 1)).split(/(\t)/)) {
      if (piece === '\t') this.#column = Math.min(columns - 1, (Math.floor(this.#column / TAB) + 1) * TAB);
      else if (piece !== '') this.#column = columnAfter(this.#column, piece, columns);
    }
  }
}

/** Where the cursor stands behind a text that wraps at the edge; a wide character does not stand over it. */
function columnAfter(column: number, text: string, columns: number): number {
  if (/^[ -~]*$/.test(text)) {
    const all = column + text.length;
    return all === 0 ? 0 : ((all - 1) % columns) + 1;
  }
  let at = column;
  for (const { segment } of CHARACTERS.segment(text)) {
    const width = widthOf(segment);
    at = at + width > columns ? width : at + width;
  }
  return at;
}

const CHARACTERS = new Intl.Segmenter('en', { granularity: 'grapheme' });

function withoutColours(text: string): string {
  return text.replace(/\x1b\[\d*m/g, '');
}
