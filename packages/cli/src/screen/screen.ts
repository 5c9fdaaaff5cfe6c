import type { Footer } from './footer.ts';
import { type Paint, paint } from './paint.ts';
import { cut, makePrintable } from './plain.ts';
import { columnsOf, wrapToWidth } from './width.ts';
import { WordWrap } from './word-wrap.ts';

const WIDTH_WITHOUT_TERMINAL = 160;
/** Characters of a message that are kept back until it is whole. A longer one is written as it comes. */
export const HELD_CHARACTERS = 256 * 1024;

export interface Stream {
  isTTY?: boolean;
  columns?: number;
  write(text: string): unknown;
}

/** A word that is not complete after this time is written as it is. */
const PAUSE_MS = 150;
/** Longer ones are not taken out as a whole. */
const LONGEST_SEQUENCE = 64;

type Block = 'text' | 'thinking' | 'activity';

/**
 * The answer on stdout, everything else on stderr. On a terminal they are one picture, in order and with air around the
 * answer. Elsewhere stdout gets whole messages: one that the agent takes back must not stay in somebody's file, unless it is
 * too long to be kept.
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
  /** The cursor stands behind something. */
  #midLine = false;
  #message = '';
  #messages = 0;
  /** A part of the message was too long to keep and is written. */
  #isBegun = false;

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
    const shown = makePrintable(this.#block === 'text' ? delta : delta.trimStart());
    if (shown === '') return;
    this.#begin('text');
    this.#write(this.#out, this.#wrap.push(shown, columnsOf(this.#out)));
    this.#writeSoon();
    this.#midLine = !shown.endsWith('\n');
  }

  endMessage(): void {
    if (this.#out.isTTY) {
      this.#writeHeldWord();
      return;
    }
    const rest = makePrintable(this.#message).trimEnd();
    this.#message = '';
    if (rest === '' && !this.#isBegun) return;
    this.#endLine();
    this.#write(this.#out, `${this.#messages > 0 && !this.#isBegun ? '\n' : ''}${rest}\n`);
    this.#messages += 1;
    this.#isBegun = false;
  }

  /** False: a part of it is written and stays. */
  discardMessage(): boolean {
    this.#message = '';
    if (!this.#isBegun) return true;
    this.endMessage();
    return false;
  }

  #writeHeld(): void {
    // What an escape sequence needs to be seen as one may come with the next piece.
    let cutAt = Math.max(this.#message.lastIndexOf('\n') + 1, this.#message.length - LONGEST_SEQUENCE);
    // Not through a sequence, nor through a character or the end of a line.
    const begun = this.#message.lastIndexOf('\x1b', cutAt - 1);
    if (begun > cutAt - LONGEST_SEQUENCE && begun > 0) cutAt = begun;
    if (/[\ud800-\udbff\r]/.test(this.#message.charAt(cutAt - 1))) cutAt -= 1;
    const part = makePrintable(this.#message.slice(0, cutAt));
    this.#message = this.#message.slice(cutAt);
    this.#endLine();
    this.#write(this.#out, `${this.#messages > 0 && !this.#isBegun ? '\n' : ''}${part}`);
    this.#isBegun = true;
  }

  thinking(delta: string): void {
    if (!this.showsThinking) return;
    const shown = makePrintable(this.#block === 'thinking' ? delta : delta.trimStart());
    if (shown === '') return;
    const mark = this.#block === 'thinking' ? '' : '✻ ';
    this.#begin('thinking');
    const wrapped = this.#wrap.push(mark + shown, columnsOf(this.#err));
    if (wrapped !== '') this.#write(this.#err, this.paint.dim(wrapped));
    this.#writeSoon();
    this.#midLine = !shown.endsWith('\n');
  }

  /** A whole line beside the answer. Colour is the caller's, width too. */
  line(text: string): void {
    if (this.#quiet) return;
    this.#begin('activity');
    this.#endLine();
    this.#write(this.#err, `${text}\n`);
  }

  /** A line that may be added to as long as nothing else is written. */
  openLine(text: string): void {
    if (this.#quiet) return;
    this.#begin('activity');
    this.#endLine();
    this.#write(this.#err, text);
    this.#midLine = true;
  }

  /** For what must be seen even when it is quiet: approvals, questions, warnings. */
  loud(text: string): void {
    this.#begin('activity');
    this.#endLine();
    this.#write(this.#err, `${text}\n`);
  }

  /** A hint or a fact in as many rows as it needs, indented: loud, dim, and broken between words. */
  note(text: string, indent?: string): void {
    for (const row of this.rows(text, indent)) this.loud(this.paint.dim(row));
  }

  /** A text that is not coloured yet, as rows of the screen; each begins with the indent. */
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

  /** An empty line, where somebody looks. */
  space(): void {
    if (this.#quiet || !this.#err.isTTY || this.#block === undefined) return;
    this.#endLine();
    this.#write(this.#err, '\n');
    this.#block = undefined;
  }

  fit(text: string, used = 0): string {
    return cut(text, Math.max(20, this.width - used));
  }

  #begin(block: Block): void {
    if (this.#block === block) return;
    this.#endLine();
    const air = this.#block !== undefined && (block === 'text' || this.#block === 'text');
    if (air && this.#err.isTTY && this.#out.isTTY) this.#write(this.#err, '\n');
    this.#block = block;
  }

  /** An agent that pauses within a word shows all that it said. */
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

  /** Through what stands below the output of a terminal. */
  #write(to: Stream, text: string): void {
    if (this.#footer && to.isTTY) this.#footer.write(to, text);
    else to.write(text);
  }
}
