/** A string that grew by `+=` keeps each of its pieces, at several times their size: it is made one piece at so many characters. */
const FLAT_CHARS = 64 * 1024;
/** Of longer strings node keeps the characters outside of the heap, which has a limit of its own for the whole host. */
const OUTSIDE_CHARS = 1024 * 1024;

/** Where parts are put together on their way out: used within one call, so that one is enough for all runs. */
let workbench: Buffer | undefined;

/** A text that comes in small pieces and may become very long. To add costs O(piece); to read it, nearly nothing. */
export class GrowingText {
  /** Whole parts of `OUTSIDE_CHARS`, parts of `FLAT_CHARS` after them, pieces after those. */
  #outside = '';
  #flat: string[] = [];
  #flatChars = 0;
  /** Of `#flat`, in UTF-8: as many as characters where there is nothing but ASCII. */
  #flatBytes = 0;
  #pieces = '';

  get length(): number {
    return this.#outside.length + this.#flatChars + this.#pieces.length;
  }

  add(piece: string): void {
    this.#pieces += piece;
    if (this.#pieces.length < FLAT_CHARS) return;
    // To count the bytes makes one piece of it.
    this.#flatBytes += Buffer.byteLength(this.#pieces);
    this.#flatChars += this.#pieces.length;
    this.#flat.push(this.#pieces);
    this.#pieces = '';
    if (this.#flatChars >= OUTSIDE_CHARS) this.#moveOut();
  }

  toString(): string {
    return this.#outside + this.#flat.join('') + this.#pieces;
  }

  #moveOut(): void {
    const isAscii = this.#flatBytes === this.#flatChars;
    this.#outside += isAscii ? joinAscii(this.#flat, this.#flatChars) : joinAny(this.#flat);
    this.#flat = [];
    this.#flatChars = 0;
    this.#flatBytes = 0;
  }
}

function joinAscii(parts: readonly string[], chars: number): string {
  workbench ??= Buffer.allocUnsafeSlow(OUTSIDE_CHARS + FLAT_CHARS);
  // One piece may have been longer than all that usually comes together.
  const place = chars <= workbench.length ? workbench : Buffer.allocUnsafeSlow(chars);
  let end = 0;
  for (const part of parts) end += place.write(part, end, 'latin1');
  return place.toString('latin1', 0, end);
}

/** In UTF-16, so that halves of letters stay what they are. */
function joinAny(parts: readonly string[]): string {
  return Buffer.from(parts.join(''), 'utf16le').toString('utf16le');
}
