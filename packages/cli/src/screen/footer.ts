import { charactersOf } from './characters.ts';
import type { Stream } from './screen.ts';
import { columnsOf, widthOf } from './width.ts';

/** Rows below the output, each narrower than the terminal. */
export interface FooterRows {
  rows: readonly string[];
  /** Cursor position; default: after the last row. */
  cursor?: { row: number; column: number };
}

const NOTHING: FooterRows = { rows: [] };
const TAB = 8;

/**
 * Rows below the output of a terminal: an input line, a status line. Output is written above them, also into an incomplete
 * line, so it tracks the column of the output. Each update is a single write, so nothing flickers.
 */
export class Footer {
  readonly #stream: Stream;
  #wanted: FooterRows = NOTHING;
  /** Cursor row within the footer; undefined while it is not drawn. */
  #drawnAt: number | undefined;
  #drawn = '';
  /** Widths of the drawn rows up to the cursor; a terminal that became narrower has wrapped them. */
  #widths: number[] = [];
  /** Column where the output continues; equal to the terminal width if the last row is full. */
  #column = 0;
  /** Total columns of the incomplete line, over all its rows. */
  #length = 0;
  #mustWrap = false;
  /** Rows to draw below new output; some rows are shown only while there is none. */
  forOutput: (() => FooterRows) | undefined;
  /** Time of the last output. */
  lastWrite = 0;

  constructor(stream: Stream) {
    this.#stream = stream;
  }

  /** Writes output to the terminal; `to` is one of the streams connected to it. */
  write(to: Stream, text: string): void {
    if (text === '') return;
    this.lastWrite = Date.now();
    const before = `${this.#erased()}${this.#wrapBefore(text)}`;
    this.#follow(text);
    if (this.forOutput) this.#wanted = this.forOutput();
    to.write(`${before}${text}${this.#drawing()}`);
  }

  /** Replaces the rows. */
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

  /** Another process used the terminal: the previous rows are gone. */
  forget(): void {
    this.#drawnAt = undefined;
    this.#drawn = '';
    this.#wanted = NOTHING;
    this.#column = 0;
    this.#length = 0;
  }

  /** The terminal width changed: rows must be redrawn, and the output before them wraps differently. */
  resize(wanted: FooterRows): void {
    if (rewrapsOnResize()) this.#column = columnAfter(0, ' '.repeat(this.#length), columnsOf(this.#stream));
    this.#drawn = '';
    this.set(wanted);
  }

  /** Sequence that erases the footer and moves the cursor to the end of the output. */
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
    if (!rewrapsOnResize()) return at;
    const columns = columnsOf(this.#stream);
    return this.#widths.reduce((rows, width) => rows + Math.floor(Math.max(0, width - 1) / columns), at);
  }

  /** A terminal wraps a full line at the next character, unless the cursor was moved meanwhile. */
  #wrapBefore(text: string): string {
    const [first] = stripColors(text);
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
    this.#widths = rows.slice(0, at).map((row) => widthOf(stripColors(row)));
    this.#widths.push(cursor?.column ?? widthOf(stripColors(rows[at] ?? '')));
    const back = cursor
      ? `${last > at ? `\x1b[${last - at}A` : ''}\r${cursor.column > 0 ? `\x1b[${cursor.column}C` : ''}`
      : '';
    return `${this.#column > 0 ? '\n' : ''}${rows.join('\n')}${back}`;
  }

  #follow(text: string): void {
    const columns = columnsOf(this.#stream);
    const lineStart = text.lastIndexOf('\n');
    if (lineStart !== -1) {
      this.#column = 0;
      this.#length = 0;
    }
    for (const piece of stripColors(text.slice(lineStart + 1)).split(/(\t)/)) {
      const before = this.#column;
      if (piece === '\t') this.#column = Math.min(columns - 1, (Math.floor(this.#column / TAB) + 1) * TAB);
      else if (piece !== '') this.#column = columnAfter(this.#column, piece, columns);
      this.#length += piece === '\t' ? this.#column - before : widthOf(piece);
    }
  }
}

/** Most terminals rewrap their content when resized; these truncate it or leave it as it is. */
function rewrapsOnResize(): boolean {
  const { TERM = '', TMUX, XTERM_VERSION } = process.env;
  return XTERM_VERSION === undefined && TERM !== 'linux' && !(TERM.startsWith('screen') && TMUX === undefined);
}

/** Column after a text that wraps at the edge; a wide character does not cross it. */
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

function stripColors(text: string): string {
  return text.replace(/\x1b\[\d*m/g, '');
}
