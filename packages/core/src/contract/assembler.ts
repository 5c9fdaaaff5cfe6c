/** A block that has grown to so many characters is handed out as it is: its end may never come. */
export const MAX_BLOCK_CHARS = 16 * 1024 * 1024;

/**
 * Puts output that an agent spreads over several lines back together. One per run and stream.
 * In line mode a line passes as it is; in block mode lines are kept until the terminator says that the block is whole.
 * Costs O(bytes), as long as the terminator does not look through all that was accumulated for every line.
 */
export class StreamAssembler {
  #block: string | null = null;
  #lines = 0;
  #terminator: (line: string, accumulated: string) => boolean = () => true;

  feed(line: string): string | null {
    if (this.#block === null) return line;
    // Grown by `+=`: a JavaScript engine links the parts, and copies them when somebody looks.
    if (this.#lines > 0) this.#block += '\n';
    this.#block += line;
    this.#lines += 1;
    return this.#terminator(line, this.#block) || this.#block.length >= MAX_BLOCK_CHARS ? this.endBlock() : null;
  }

  startBlock(terminator: (line: string, accumulated: string) => boolean): void {
    this.#block = '';
    this.#lines = 0;
    this.#terminator = terminator;
  }

  endBlock(): string | null {
    const block = this.#block;
    this.reset();
    return block;
  }

  get inBlock(): boolean {
    return this.#block !== null;
  }

  get bufferedLineCount(): number {
    return this.#lines;
  }

  peek(): string {
    return this.#block ?? '';
  }

  reset(): void {
    this.#block = null;
    this.#lines = 0;
    this.#terminator = () => true;
  }
}
