import { charactersOf } from '../../screen/characters.ts';
import type { FooterRows } from '../../screen/footer.ts';
import { widthOf } from '../../screen/width.ts';
import type { Key, KeyName } from './keys.ts';

/** Result of a key press. */
export type Outcome = 'edited' | 'send' | 'interrupt' | 'end-of-input' | 'suspend' | 'redraw';

/** Maximum number of rows shown, around the cursor. */
const SHOWN_ROWS = 8;
/** Maximum length of a typed text. */
const LONGEST = 1024 * 1024;

/** Editor of a line, possibly with several rows, with a history. Independent of a terminal. */
export class LineEditor {
  #text = '';
  /** The cursor is before this UTF-16 code unit. */
  #at = 0;
  readonly #history: string[];
  /** Index of the shown history entry; the length of the history means the current line. */
  #entry: number;
  #own = '';

  constructor(history: readonly string[] = []) {
    this.#history = [...history];
    this.#entry = this.#history.length;
  }

  get text(): string {
    return this.#text;
  }

  set text(text: string) {
    this.#text = text;
    this.#at = text.length;
  }

  /** Clears the line and adds the text to the history. */
  take(): string {
    const text = this.#text;
    if (text.trim() !== '' && this.#history.at(-1) !== text) this.#history.push(text);
    this.#entry = this.#history.length;
    this.#own = '';
    this.text = '';
    return text;
  }

  press(key: Key): Outcome {
    if (key.type !== 'key') this.#insert(clean(key.text));
    else return this.#actions[key.name]() ?? 'edited';
    return 'edited';
  }

  readonly #actions: Readonly<Record<KeyName, () => Outcome | undefined>> = {
    enter: () => {
      // As in a shell: a backslash at the end of the line continues it.
      if (!this.#text.slice(0, this.#at).endsWith('\\')) return 'send';
      this.#remove(this.#at - 1, this.#at);
      return this.#insert('\n');
    },
    newline: () => this.#insert('\n'),
    backspace: () => this.#remove(this.#before(), this.#at),
    delete: () => this.#remove(this.#at, this.#after()),
    left: () => this.#move(this.#before()),
    right: () => this.#move(this.#after()),
    home: () => this.#move(this.#rowStart()),
    end: () => this.#move(this.#rowEnd()),
    up: () => this.#vertical(-1),
    down: () => this.#vertical(1),
    'word-left': () => this.#move(this.#wordStart()),
    'word-right': () => this.#move(this.#at + (/^\s*\S*/.exec(this.#text.slice(this.#at))?.[0].length ?? 0)),
    'delete-word': () => this.#remove(this.#wordStart(), this.#at),
    'delete-to-start': () => this.#remove(this.#rowStart(), this.#at),
    'delete-to-end': () => this.#remove(this.#at, this.#rowEnd()),
    interrupt: () => 'interrupt',
    'end-of-input': () => (this.#text === '' ? 'end-of-input' : this.#remove(this.#at, this.#after())),
    suspend: () => 'suspend',
    redraw: () => 'redraw',
  };

  /** `prompt` is `promptWidth` columns wide; color codes do not count. */
  rows(prompt: string, promptWidth: number, columns: number): Required<FooterRows> {
    const space = Math.max(4, columns - promptWidth - 1);
    const rows: string[] = [''];
    let cursor = { row: 0, column: 0 };
    let column = 0;
    let index = 0;
    const setCursor = () => {
      if (index === this.#at) cursor = { row: rows.length - 1, column: column + promptWidth };
    };
    for (const { segment } of charactersOf(this.#text)) {
      const width = segment === '\n' ? 0 : widthOf(segment);
      if (segment !== '\n' && column + width > space) {
        rows.push('');
        column = 0;
      }
      setCursor();
      if (segment === '\n') {
        rows.push('');
        column = 0;
      } else rows[rows.length - 1] += segment;
      column += width;
      index += segment.length;
    }
    setCursor();
    const first = Math.max(0, Math.min(rows.length - SHOWN_ROWS, cursor.row - Math.floor(SHOWN_ROWS / 2)));
    const indent = ' '.repeat(promptWidth);
    return {
      rows: rows
        .slice(first, first + SHOWN_ROWS)
        .map((row, at) => (at === 0 && first === 0 ? `${prompt}${row}` : `${indent}${row}`)),
      cursor: { row: cursor.row - first, column: cursor.column },
    };
  }

  #insert(text: string): undefined {
    if (this.#text.length + text.length > LONGEST) return;
    this.#text = `${this.#text.slice(0, this.#at)}${text}${this.#text.slice(this.#at)}`;
    this.#at += text.length;
  }

  #remove(from: number, to: number): undefined {
    this.#text = this.#text.slice(0, from) + this.#text.slice(to);
    this.#at = from;
  }

  #move(to: number): undefined {
    this.#at = to;
  }

  #before(): number {
    const row = this.#text.slice(Math.max(0, this.#rowStart() - 1), this.#at);
    return this.#at - (lastCharacter(row)?.length ?? 0);
  }

  #after(): number {
    const [next] = charactersOf(this.#text.slice(this.#at, this.#rowEnd() + 1));
    return this.#at + (next?.segment.length ?? 0);
  }

  #rowStart(): number {
    return this.#at === 0 ? 0 : this.#text.lastIndexOf('\n', this.#at - 1) + 1;
  }

  #rowEnd(): number {
    const end = this.#text.indexOf('\n', this.#at);
    return end === -1 ? this.#text.length : end;
  }

  #wordStart(): number {
    const before = this.#text.slice(0, this.#at);
    const end = before.trimEnd().length;
    const start = Math.max(...[' ', '\t', '\n'].map((space) => before.lastIndexOf(space, end - 1)));
    return end === 0 ? 0 : start + 1;
  }

  /** Moves between rows, and from the first or last row into the history. */
  #vertical(step: -1 | 1): undefined {
    const start = this.#rowStart();
    const column = this.#at - start;
    if (step === -1 && start > 0) {
      const above = start === 1 ? 0 : this.#text.lastIndexOf('\n', start - 2) + 1;
      this.#at = Math.min(above + column, start - 1);
      return;
    }
    const end = this.#rowEnd();
    if (step === 1 && end < this.#text.length) {
      const next = this.#text.indexOf('\n', end + 1);
      this.#at = Math.min(end + 1 + column, next === -1 ? this.#text.length : next);
      return;
    }
    const entry = this.#entry + step;
    if (entry < 0 || entry > this.#history.length) return;
    if (this.#entry === this.#history.length) this.#own = this.#text;
    this.#entry = entry;
    this.text = this.#history[entry] ?? this.#own;
  }
}

function lastCharacter(text: string): string | undefined {
  let last: string | undefined;
  for (const { segment } of charactersOf(text)) last = segment;
  return last;
}

/** Normalizes line ends, removes control characters and expands tabs. */
function clean(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/\t/g, '    ')
    .replace(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/g, '');
}
