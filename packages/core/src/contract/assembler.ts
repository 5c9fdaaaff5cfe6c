/** Maximum size of a block in characters. A larger one is returned as it is, since its end may never arrive. */
export const MAX_BLOCK_CHARS = 16 * 1024 * 1024;

/**
 * Reassembles output that an agent spreads over several lines. One instance per run and stream. In line mode a line
 * passes through unchanged; in block mode lines are collected until the terminator reports that the block is complete.
 * Runs in O(bytes), as long as the terminator does not scan the whole accumulated block for every line.
 */
export class StreamAssembler {
  #block: string | null = null;
  #lines = 0;
  #terminator: (line: string, accumulated: string) => boolean = () => true;

  feed(line: string): string | null {
    if (this.#block === null) return line;
    // `+=` is cheap: JavaScript engines link the parts and copy them only on read.
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
