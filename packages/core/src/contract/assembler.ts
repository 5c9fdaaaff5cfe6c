/** A block that is longer ends there, whatever its terminator says. */
export const MAX_BLOCK_CHARS = 16 * 1024 * 1024;

/**
 * Puts output that an agent spreads over several lines back together. One per run.
 * In line mode a line passes as it is; in block mode lines are kept until the terminator says that the block is whole.
 */
export class StreamAssembler {
  #lines: string[] | null = null;
  #chars = 0;
  #terminator: (line: string, accumulated: string) => boolean = () => true;

  feed(line: string): string | null {
    if (!this.#lines) return line;
    this.#lines.push(line);
    this.#chars += line.length + 1;
    if (this.#chars > MAX_BLOCK_CHARS) return this.endBlock();
    return this.#terminator(line, this.peek()) ? this.endBlock() : null;
  }

  startBlock(terminator: (line: string, accumulated: string) => boolean): void {
    this.#lines = [];
    this.#chars = 0;
    this.#terminator = terminator;
  }

  endBlock(): string | null {
    if (!this.#lines) return null;
    const block = this.peek();
    this.reset();
    return block;
  }

  get inBlock(): boolean {
    return this.#lines !== null;
  }

  get bufferedLineCount(): number {
    return this.#lines?.length ?? 0;
  }

  peek(): string {
    return this.#lines?.join('\n') ?? '';
  }

  reset(): void {
    this.#lines = null;
    this.#terminator = () => true;
  }
}
