import { widthOf } from './width.ts';

/** With at least this many columns left, an incomplete word still fits. */
const MIN_SPACE = 16;

/**
 * Wraps streamed text between words. Near the end of a row the current word is held back until it is complete. Lines of a
 * fenced code block are not wrapped, so that copied code has no extra line breaks.
 */
export class WordWrap {
  #column = 0;
  #word = '';
  #isFenced = false;

  /** Text that can be written now, for a terminal of this width. */
  push(text: string, width: number): string {
    let written = '';
    for (const piece of text.match(/\n|[^\S\n]+|\S+/g) ?? []) {
      if (/\S/.test(piece)) this.#word += piece;
      else written += this.flush(width) + this.#space(piece, width);
    }
    const hasSpace = this.#column + widthOf(this.#word) + MIN_SPACE <= width;
    return hasSpace ? written + this.flush(width) : written;
  }

  /** Flushes the held-back word. */
  flush(width: number): string {
    const word = this.#word;
    this.#word = '';
    if (word === '') return '';
    if (this.#column === 0 && word.startsWith('```')) this.#isFenced = !this.#isFenced;
    const columns = widthOf(word);
    const isBroken = !this.#isFenced && this.#column > 0 && this.#column + columns > width;
    this.#column = (isBroken ? 0 : this.#column) + columns;
    return isBroken ? `\n${word}` : word;
  }

  reset(): void {
    this.#column = 0;
    this.#isFenced = false;
  }

  #space(space: string, width: number): string {
    this.#column = space === '\n' ? 0 : this.#column + space.length;
    // A space that does not fit would start the next row.
    return space !== '\n' && !this.#isFenced && this.#column > width ? '' : space;
  }
}
