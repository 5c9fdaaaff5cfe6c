/** The longest line that is kept whole. Of a longer one the first so many bytes are delivered and `onCut` says how long it was. */
export const MAX_LINE_BYTES = 16 * 1024 * 1024;

const NEWLINE = 0x0a;
const RETURN = 0x0d;

/**
 * Bytes to lines, in O(bytes). It cuts at `\n` bytes only, which never occur inside a UTF-8 sequence, so that text is
 * decoded from whole lines. A `\r` before the `\n` goes; NUL bytes stay.
 */
export class LineSplitter {
  readonly #onLines: (lines: string[], bytes: number) => void;
  readonly #onCut: (totalBytes: number) => void;
  readonly #maxLineBytes: number;
  #rest: Buffer[] = [];
  #restBytes = 0;
  /** Bytes of the current line that were not kept. */
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
    // A line that began earlier, or one that may be too long, goes the careful way.
    while (from <= last && (this.#restBytes > 0 || this.#cutBytes > 0 || last - from > this.#maxLineBytes)) {
      const end = chunk.indexOf(NEWLINE, from);
      this.#keep(chunk.subarray(from, end));
      this.#emitRest();
      from = end + 1;
    }
    if (from <= last) {
      const lines = chunk.toString('utf8', from, last).split('\n');
      // Few programs write them, and to look at the bytes costs far less than to look at every line.
      if (chunk.includes(RETURN, from)) for (let i = 0; i < lines.length; i++) lines[i] = withoutReturn(lines[i]!);
      this.#onLines(lines, last - from);
    }
    if (last + 1 < chunk.length) this.#keep(chunk.subarray(last + 1));
  }

  /** A line has begun and not ended. */
  get pending(): boolean {
    return this.#restBytes > 0 || this.#cutBytes > 0;
  }

  /** The last line may have no newline. */
  end(): void {
    if (this.pending) this.#emitRest();
  }

  #keep(bytes: Buffer): void {
    const room = this.#maxLineBytes - this.#restBytes;
    const kept = bytes.length <= room ? bytes : bytes.subarray(0, Math.max(room, 0));
    if (kept.length > 0) {
      this.#rest.push(kept);
      this.#restBytes += kept.length;
    }
    this.#cutBytes += bytes.length - kept.length;
  }

  #emitRest(): void {
    const line = Buffer.concat(this.#rest, this.#restBytes).toString('utf8');
    const [kept, cut] = [this.#restBytes, this.#cutBytes];
    this.#rest = [];
    this.#restBytes = 0;
    this.#cutBytes = 0;
    if (cut > 0) this.#onCut(kept + cut);
    this.#onLines([withoutReturn(line)], kept);
  }
}

function withoutReturn(line: string): string {
  return line.charCodeAt(line.length - 1) === RETURN ? line.slice(0, -1) : line;
}
