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
  /** Of `#flat`, in UTF-8: as many as characters where there is nothing but ASCII. */
  #flatBytes = 0;

  get length(): number {
    return this.#outside.length + this.#flat.length + this.#pieces.length;
  }

  add(piece: string): void {
    this.#pieces += piece;
    if (this.#pieces.length < FLAT_CHARS) return;
    // To count the bytes makes one piece of it.
    this.#flatBytes += Buffer.byteLength(this.#pieces);
    this.#flat += this.#pieces;
    this.#pieces = '';
    if (this.#flat.length >= OUTSIDE_CHARS) this.#moveOut();
  }

  toString(): string {
    return this.#outside + this.#flat + this.#pieces;
  }

  #moveOut(): void {
    const encoding = this.#flatBytes === this.#flat.length ? 'latin1' : 'utf16le';
    this.#outside += Buffer.from(this.#flat, encoding).toString(encoding);
    this.#flat = '';
    this.#flatBytes = 0;
  }
}
