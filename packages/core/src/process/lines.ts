/** The longest complete line in bytes. Of a longer one only the start is delivered, and `onCut` reports its length. */
export const MAX_LINE_BYTES = 16 * 1024 * 1024;

const NEWLINE = 0x0a;
const RETURN = 0x0d;

/**
 * Splits bytes into lines, in O(bytes). It cuts only at `\
` bytes, which never occur inside a UTF-8 sequence, so text is
 * decoded from complete lines. A `\\r` before the `\
` is removed; NUL bytes stay.
 */
export class LineSplitter {
  readonly #onLines: (lines: string[], bytes: number) => void;
  readonly #onCut: (totalBytes: number) => void;
  readonly #maxLineBytes: number;
  #rest: Buffer[] = [];
  #restBytes = 0;
  /** Bytes of the current line that were dropped. */
  #cutBytes = 0;

  constructor(
    onLines: (lines: string[], bytes: number) => void,
    onCut: (totalBytes: number) => void = () => {},
    maxLineBytes = MAX_LINE_BYTES,
  ) {
    this.#onLines = onLines;
    this.#onCut = onCut;
    this.#maxLineBytes = maxLineBytes;
  }

  push(chunk: Buffer): void {
    const last = chunk.lastIndexOf(NEWLINE);
    if (last === -1) {
      this.#keep(chunk);
      return;
    }
    let from = 0;
    // Slow path for a line that started earlier or may be too long.
    while (from <= last && (this.#restBytes > 0 || this.#cutBytes > 0 || last - from > this.#maxLineBytes)) {
      const end = chunk.indexOf(NEWLINE, from);
      this.#keep(chunk.subarray(from, end));
      this.#emitRest();
      from = end + 1;
    }
    if (from <= last) {
      const lines = chunk.toString('utf8', from, last).split('\n');
      // Few programs write `\r`, and checking the bytes is far cheaper than checking every line.
      if (chunk.includes(RETURN, from)) for (let i = 0; i < lines.length; i++) lines[i] = withoutReturn(lines[i]!);
      this.#onLines(lines, last - from);
    }
    if (last + 1 < chunk.length) this.#keep(chunk.subarray(last + 1));
  }

  /** A line has started and not ended. */
  get pending(): boolean {
    return this.#restBytes > 0 || this.#cutBytes > 0;
  }

  /** Flushes the last line, which may have no newline. */
  end(): void {
    if (this.pending) this.#emitRest();
  }

  #keep(bytes: Buffer): void {
    const capacity = this.#maxLineBytes - this.#restBytes;
    const stored = bytes.length <= capacity ? bytes : bytes.subarray(0, Math.max(capacity, 0));
    if (stored.length > 0) {
      this.#rest.push(stored);
      this.#restBytes += stored.length;
    }
    this.#cutBytes += bytes.length - stored.length;
  }

  #emitRest(): void {
    const line = Buffer.concat(this.#rest, this.#restBytes).toString('utf8');
    const [stored, cut] = [this.#restBytes, this.#cutBytes];
    this.#rest = [];
    this.#restBytes = 0;
    this.#cutBytes = 0;
    if (cut > 0) this.#onCut(stored + cut);
    this.#onLines([withoutReturn(line)], stored);
  }
}

function withoutReturn(line: string): string {
  return line.charCodeAt(line.length - 1) === RETURN ? line.slice(0, -1) : line;
}
