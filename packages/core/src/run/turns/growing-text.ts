/** A string that grew by `+=` keeps each of its pieces, at several times their size: it is made one piece at so many characters. */
const FLAT_CHARS = 64 * 1024;
/** Of longer strings node keeps the characters outside of the heap, which has a limit of its own for the whole host. */
const OUTSIDE_CHARS = 1024 * 1024;

/** A text that comes in small pieces and may become very long. To add costs O(piece); to read it, nearly nothing. */
export class GrowingText {
  /** Whole parts of `OUTSIDE_CHARS`, parts of `FLAT_CHARS` after them, pieces after those. */
  #outside = '';
  #flat = '';
  #pieces = '';

  get length(): number {
    return this.#outside.length + this.#flat.length + this.#pieces.length;
  }

  add(piece: string): void {
    this.#pieces += piece;
    if (this.#pieces.length < FLAT_CHARS) return;
    this.#flat += flattened(this.#pieces);
    this.#pieces = '';
    if (this.#flat.length < OUTSIDE_CHARS) return;
    this.#outside += outsideOfHeap(this.#flat);
    this.#flat = '';
  }

  toString(): string {
    return this.#outside + this.#flat + this.#pieces;
  }
}

/** The same string; to look into it makes one piece of it. */
function flattened(text: string): string {
  text.charCodeAt(0);
  return text;
}

function outsideOfHeap(text: string): string {
  const encoding = Buffer.byteLength(text) === text.length ? 'latin1' : 'utf16le';
  return Buffer.from(text, encoding).toString(encoding);
}
