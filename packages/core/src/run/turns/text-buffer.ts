/**
 * A string built by `+=` keeps all its pieces, at several times their size: it is flattened after this many characters.
 */
const FLAT_CHARS = 64 * 1024;
/** Node stores the characters of longer strings outside of the heap, which has one limit for the whole host. */
const OUTSIDE_CHARS = 1024 * 1024;

/** Buffer for joining parts: used within one call, so one is enough for all runs. */
let scratch: Buffer | undefined;

/**
 * A text that arrives in small pieces and may become very long. Adding costs O(piece); reading costs almost nothing.
 */
export class TextBuffer {
  /** Complete parts of `OUTSIDE_CHARS`, then parts of `FLAT_CHARS`, then pieces. */
  #outside = '';
  #flat: string[] = [];
  #flatChars = 0;
  /** UTF-8 bytes of `#flat`: equal to its characters if it is all ASCII. */
  #flatBytes = 0;
  #pieces = '';

  get length(): number {
    return this.#outside.length + this.#flatChars + this.#pieces.length;
  }

  add(piece: string): void {
    this.#pieces += piece;
    if (this.#pieces.length < FLAT_CHARS) return;
    // Counting the bytes flattens the string.
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
  scratch ??= Buffer.allocUnsafeSlow(OUTSIDE_CHARS + FLAT_CHARS);
  // A single piece may be longer than the shared buffer.
  const target = chars <= scratch.length ? scratch : Buffer.allocUnsafeSlow(chars);
  let end = 0;
  for (const part of parts) end += target.write(part, end, 'latin1');
  return target.toString('latin1', 0, end);
}

/** In UTF-16, so that unpaired surrogates are preserved. */
function joinAny(parts: readonly string[]): string {
  return Buffer.from(parts.join(''), 'utf16le').toString('utf16le');
}
