import { charactersOf } from './characters.ts';
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
  /** How wide what is drawn is, row by row up to the cursor; a terminal that has become narrower has broken it. */
  #widths: number[] = [];
  /** Where the output goes on. As many as the terminal has: its last row is full. */
  #column = 0;
  /** Of the line that has not ended: its columns in all, over as many rows as it takes. */
  #length = 0;
  #mustWrap = false;
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
    const before = `${this.#erased()}${this.#wrapBefore(text)}`;
    this.#follow(text);
    if (this.forOutput) this.#wanted = this.forOutput();
    to.write(`${before}${text}${this.#drawing()}`);
  }

  /** Other rows than before. */
  set(wanted: FooterRows): void {
    this.#wanted = wanted;
    const key = JSON.stringify(wanted);
    if (key === this.#drawn) return;
    const text = `${this.#erased()}${this.#drawing()}`;
    if (text !== '') this.#stream.write(text);
  }

  clear(): void {
    this.set(NOTHING);
  }

  /** The terminal was somebody else's: what stood there is no longer where it was. */
  forget(): void {
    this.#drawnAt = undefined;
    this.#drawn = '';
    this.#wanted = NOTHING;
    this.#column = 0;
    this.#length = 0;
  }

  /** The terminal has another width, so other rows are wanted; the output before them is broken at other places. */
  resize(wanted: FooterRows): void {
    if (breaksLinesAnew()) this.#column = columnAfter(0, ' '.repeat(this.#length), columnsOf(this.#stream));
    this.#drawn = '';
    this.set(wanted);
  }

  /** What takes the footer away and brings the cursor to where the output goes on. */
  #erased(): string {
    if (this.#drawnAt === undefined) return '';
    const rows = this.#rowsAbove(this.#drawnAt);
    const up = rows > 0 ? `\x1b[${rows}A` : '';
    this.#drawnAt = undefined;
    this.#drawn = '';
    const gone = `${up}\r\x1b[J`;
    if (this.#column === 0) return gone;
    if (this.#column < columnsOf(this.#stream)) return `${gone}\x1b[A\x1b[${this.#column + 1}G`;
    this.#mustWrap = true;
    return `${gone}\x1b[A`;
  }

  #rowsAbove(at: number): number {
    if (!breaksLinesAnew()) return at;
    const columns = columnsOf(this.#stream);
    return this.#widths.reduce((rows, width) => rows + Math.floor(Math.max(0, width - 1) / columns), at);
  }

  /** A terminal breaks a full line at the next character, unless the cursor was elsewhere meanwhile. */
  #wrapBefore(text: string): string {
    const [first] = withoutColours(text);
    if (!this.#mustWrap || first === undefined) return '';
    this.#mustWrap = false;
    if (first === '\n') return '';
    this.#column = 0;
    this.#length = 0;
    return '\n';
  }

  #drawing(): string {
    const { rows, cursor } = this.#wanted;
    if (rows.length === 0) return '';
    this.#drawn = JSON.stringify(this.#wanted);
    const last = rows.length - 1;
    const at = cursor?.row ?? last;
    this.#drawnAt = at;
    this.#widths = rows.slice(0, at).map((row) => widthOf(withoutColours(row)));
    this.#widths.push(cursor?.column ?? widthOf(withoutColours(rows[at] ?? '')));
    const back = cursor
      ? `${last > at ? `\x1b[${last - at}A` : ''}\r${cursor.column > 0 ? `\x1b[${cursor.column}C` : ''}`
      : '';
    return `${this.#column > 0 ? '\n' : ''}${rows.join('\n')}${back}`;
  }

  #follow(text: string): void {
    const columns = columnsOf(this.#stream);
    const begun = text.lastIndexOf('\n');
    if (begun !== -1) {
      this.#column = 0;
      this.#length = 0;
    }
    for (const piece of withoutColours(text.slice(begun + 1)).split(/(\t)/)) {
      const before = this.#column;
      if (piece === '\t') this.#column = Math.min(columns - 1, (Math.floor(this.#column / TAB) + 1) * TAB);
      else if (piece !== '') this.#column = columnAfter(this.#column, piece, columns);
      this.#length += piece === '\t' ? this.#column - before : widthOf(piece);
    }
  }
}

/** Most terminals break what stands there anew when their width changes; these cut it, or leave it as it is. */
function breaksLinesAnew(): boolean {
  const { TERM = '', TMUX, XTERM_VERSION } = process.env;
  return XTERM_VERSION === undefined && TERM !== 'linux' && !(TERM.startsWith('screen') && TMUX === undefined);
}

/** Where the cursor stands behind a text that wraps at the edge; a wide character does not stand over it. */
function columnAfter(column: number, text: string, columns: number): number {
  if (/^[ -~]*$/.test(text)) {
    const all = column + text.length;
    return all === 0 ? 0 : ((all - 1) % columns) + 1;
  }
  let at = column;
  for (const { segment } of charactersOf(text)) {
    const width = widthOf(segment);
    at = at + width > columns ? width : at + width;
  }
  return at;
}

function withoutColours(text: string): string {
  return text.replace(/\x1b\[\d*m/g, '');
}
