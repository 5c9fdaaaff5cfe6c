import { openSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { ReadStream } from 'node:tty';
import { UserTerminal } from './user-terminal.ts';

/** A source of user input. */
export interface Terminal {
  /** The typed line; undefined at the end of input (Ctrl-D) or if the question was withdrawn. */
  ask(question: string, signal?: AbortSignal): Promise<string | undefined>;
  close(): void;
}

/** Undefined without a terminal. The prompt may come through a pipe while the user is at the terminal. */
export function openTerminal(): UserTerminal | undefined {
  if (!process.stderr.isTTY) return undefined;
  if (process.stdin.isTTY) return new UserTerminal(process.stdin);
  try {
    return new UserTerminal(new ReadStream(openSync('/dev/tty', 'r')));
  } catch {
    return undefined;
  }
}

/** Without a terminal: every line of stdin is a turn. */
export function linesOfStdin(): Terminal {
  const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  const read = async (): Promise<string | undefined> => {
    for (;;) {
      const { done, value } = await lines.next();
      if (done) return undefined;
      if (value.trim() !== '') return value;
    }
  };
  // A withdrawn question leaves its line to the next one.
  let line: Promise<string | undefined> | undefined;
  return {
    async ask(_question, signal) {
      line ??= read();
      const takenBack = new Promise<undefined>((resolve) => {
        signal?.addEventListener('abort', () => resolve(undefined), { once: true });
      });
      const answer = await Promise.race([line, takenBack]);
      if (signal?.aborted) return undefined;
      line = undefined;
      return answer;
    },
    close() {
      process.stdin.destroy();
    },
  };
}
