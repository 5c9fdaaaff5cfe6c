import type { Footer } from './footer.ts';
import { type Paint, paint } from './paint.ts';
import { cut, escapeUnprintable } from './plain.ts';
import { columnsOf, wrapToWidth } from './width.ts';
import { WordWrap } from './word-wrap.ts';

const WIDTH_WITHOUT_TERMINAL = 160;
/** Characters of a message buffered until it is complete. A longer one is written as it streams. */
export const HELD_CHARACTERS = 256 * 1024;

export interface Stream {
  isTTY?: boolean;
  columns?: number;
  write(text: string): unknown;
}

/** An incomplete word is written after this time. */
const PAUSE_MS = 150;
/** Longer sequences are not removed as a whole. */
const LONGEST_SEQUENCE = 64;

type Block = 'text' | 'thinking' | 'activity';

/**
 * The answer goes to stdout, everything else to stderr. On a terminal they are interleaved, with blank lines around the answer.
 * Otherwise, stdout gets complete messages: one that the agent discards must not end up in a file, unless it is too long to
 * buffer.
 */
export class Screen {
  readonly paint: Paint;
  readonly #out: Stream;
  readonly #err: Stream;
  readonly #quiet: boolean;
  readonly #footer: Footer | undefined;
  readonly #wrap = new WordWrap();
  #pause: NodeJS.Timeout | undefined;
  #block: Block | undefined;
  /** The cursor is not at the start of a line. */
  #midLine = false;
  #message = '';
  #messages = 0;
  /** A part of the message was too long to buffer and is already written. */
  #isPartlyWritten = false;

  constructor(out: Stream, err: Stream, options: { quiet?: boolean; footer?: Footer } = {}) {
    this.#out = out;
    this.#err = err;
    this.#quiet = options.quiet ?? false;
    this.#footer = options.footer;
    this.paint = paint(err);
  }

  get width(): number {
    return this.#err.isTTY ? Math.max(40, columnsOf(this.#err)) : WIDTH_WITHOUT_TERMINAL;
  }

  get showsThinking(): boolean {
    return this.#err.isTTY === true && !this.#quiet;
  }

  /** A piece of the answer. */
  text(delta: string): void {
    if (delta === '') return;
    if (!this.#out.isTTY) {
      this.#message += delta;
      if (this.#message.length > HELD_CHARACTERS) this.#writeHeld();
      return;
    }
    const shown = escapeUnprintable(this.#block === 'text' ? delta : delta.trimStart());
    if (shown === '') return;
    this.#startBlock('text');
    this.#write(this.#out, this.#wrap.push(shown, columnsOf(this.#out)));
    this.#writeSoon();
    this.#midLine = !shown.endsWith('\n');
  }

  endMessage(): void {
    if (this.#out.isTTY) {
      this.#writeHeldWord();
      return;
    }
    const rest = escapeUnprintable(this.#message).trimEnd();
    this.#message = '';
    if (rest === '' && !this.#isPartlyWritten) return;
    this.#endLine();
    this.#write(this.#out, `${this.#messages > 0 && !this.#isPartlyWritten ? '\n' : ''}${rest}\n`);
    this.#messages += 1;
    this.#isPartlyWritten = false;
  }

  /** False if a part is already written. */
  discardMessage(): boolean {
    this.#message = '';
    if (!this.#isPartlyWritten) return true;
    this.endMessage();
    return false;
  }

  #writeHeld(): void {
    // The rest of an escape sequence may come with the next piece.
    let cutAt = Math.max(this.#message.lastIndexOf('\n') + 1, this.#message.length - LONGEST_SEQUENCE);
    // Cuts neither a sequence nor a grapheme nor a line end.
    const sequenceStart = this.#message.lastIndexOf('\x1b', cutAt - 1);
    if (sequenceStart > cutAt - LONGEST_SEQUENCE && sequenceStart > 0) cutAt = sequenceStart;
    if (/[\ud800-\udbff\r]/.test(this.#message.charAt(cutAt - 1))) cutAt -= 1;
    const part = escapeUnprintable(this.#message.slice(0, cutAt));
    this.#message = this.#message.slice(cutAt);
    this.#endLine();
    this.#write(this.#out, `${this.#messages > 0 && !this.#isPartlyWritten ? '\n' : ''}${part}`);
    this.#isPartlyWritten = true;
  }

  thinking(delta: string): void {
    if (!this.showsThinking) return;
    const shown = escapeUnprintable(this.#block === 'thinking' ? delta : delta.trimStart());
    if (shown === '') return;
    const mark = this.#block === 'thinking' ? '' : '✻ ';
    this.#startBlock('thinking');
    const wrapped = this.#wrap.push(mark + shown, columnsOf(this.#err));
    if (wrapped !== '') this.#write(this.#err, this.paint.dim(wrapped));
    this.#writeSoon();
    this.#midLine = !shown.endsWith('\n');
  }

  /** Prints a line of activity. The caller handles color and width. */
  line(text: string): void {
    if (this.#quiet) return;
    this.#startBlock('activity');
    this.#endLine();
    this.#write(this.#err, `${text}\n`);
  }

  /** Prints a line that can be appended to until something else is written. */
  openLine(text: string): void {
    if (this.#quiet) return;
    this.#startBlock('activity');
    this.#endLine();
    this.#write(this.#err, text);
    this.#midLine = true;
  }

  /** For output that is shown even in quiet mode: approvals, questions, warnings. */
  loud(text: string): void {
    this.#startBlock('activity');
    this.#endLine();
    this.#write(this.#err, `${text}\n`);
  }

  /** A dimmed, indented and wrapped note, shown even in quiet mode. */
  note(text: string, indent?: string): void {
    for (const row of this.rows(text, indent)) this.loud(this.paint.dim(row));
  }

  /** Wraps uncolored text to screen rows, each with the indent. */
  rows(text: string, indent = '  '): string[] {
    return wrapToWidth(text, this.width - indent.length - 1).map((row) => `${indent}${row}`);
  }

  append(text: string): void {
    if (this.#quiet) return;
    this.#write(this.#err, `${text}\n`);
    this.#midLine = false;
  }

  get isMidLine(): boolean {
    return this.#midLine;
  }

  finish(): void {
    this.endMessage();
    this.#endLine();
  }

  /** A blank line, on a terminal only. */
  space(): void {
    if (this.#quiet || !this.#err.isTTY || this.#block === undefined) return;
    this.#endLine();
    this.#write(this.#err, '\n');
    this.#block = undefined;
  }

  fit(text: string, used = 0): string {
    return cut(text, Math.max(20, this.width - used));
  }

  #startBlock(block: Block): void {
    if (this.#block === block) return;
    this.#endLine();
    const isSeparate = this.#block !== undefined && (block === 'text' || this.#block === 'text');
    if (isSeparate && this.#err.isTTY && this.#out.isTTY) this.#write(this.#err, '\n');
    this.#block = block;
  }

  /** Writes an incomplete word if the agent pauses within it. */
  #writeSoon(): void {
    clearTimeout(this.#pause);
    this.#pause = setTimeout(() => this.#writeHeldWord(), PAUSE_MS).unref();
  }

  #writeHeldWord(): void {
    clearTimeout(this.#pause);
    const isText = this.#block === 'text';
    const word = this.#wrap.flush(columnsOf(isText ? this.#out : this.#err));
    if (word !== '') this.#write(isText ? this.#out : this.#err, isText ? word : this.paint.dim(word));
  }

  #endLine(): void {
    this.#writeHeldWord();
    this.#wrap.reset();
    if (!this.#midLine) return;
    this.#write(this.#block === 'text' ? this.#out : this.#err, '\n');
    this.#midLine = false;
  }

  /** Writes through the footer of a terminal. */
  #write(to: Stream, text: string): void {
    if (this.#footer && to.isTTY) this.#footer.write(to, text);
    else to.write(text);
  }
}
