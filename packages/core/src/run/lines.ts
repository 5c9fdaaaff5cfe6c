/** The longest line that is kept whole. Of a longer one the first so many bytes are delivered and `onCut` says how long it was. */
export const MAX_LINE_BYTES = 16 * 1024 * 1024;

const NEWLINE = 0x0a;

/**
 * Bytes to lines, in O(bytes). It cuts at `\n` bytes only, which never occur inside a UTF-8 sequence, so that text is
 * decoded from whole lines. A `\r` before the `\n` goes; NUL bytes stay.
 */
export class LineSplitter {
  readonly #onLines: (lines: string[]) => void;
  readonly #onCut: (totalBytes: number) => void;
  readonly #maxLineBytes: number;
  #rest: Buffer[] = [];
  #restBytes = 0;
  /** Bytes of the current line that were not kept. */
  #cutBytes = 0;

  constructor(
    onLines: (lines: string[]) => void,
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
    if (this.#restBytes > 0 || this.#cutBytes > 0) {
      const first = chunk.indexOf(NEWLINE);
      this.#keep(chunk.subarray(0, first));
      this.#emitRest();
      from = first + 1;
    }
    if (from <= last) {
      const lines = chunk.toString('utf8', from, last).split('\n');
      for (let i = 0; i < lines.length; i++) {
        const line = lines[i]!;
        if (line.charCodeAt(line.length - 1) === 13) lines[i] = line.slice(0, -1);
      }
      this.#onLines(lines);
    }
    if (last + 1 < chunk.length) this.#keep(chunk.subarray(last + 1));
  }

  /** The last line may have no newline. */
  end(): void {
    if (this.#restBytes > 0 || this.#cutBytes > 0) this.#emitRest();
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
    const whole = Buffer.concat(this.#rest, this.#restBytes).toString('utf8');
    const cut = this.#cutBytes;
    const total = this.#restBytes + cut;
    this.#rest = [];
    this.#restBytes = 0;
    this.#cutBytes = 0;
    if (cut > 0) this.#onCut(total);
    this.#onLines([whole.endsWith('\r') ? whole.slice(0, -1) : whole]);
  }
}
