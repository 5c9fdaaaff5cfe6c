import { openSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { ReadStream } from 'node:tty';
import { PersonTerminal } from './person-terminal.ts';

/** Where somebody can be asked. */
export interface Terminal {
  /** The typed line; undefined when there is no more (Ctrl-D) or the question was taken back. */
  ask(question: string, signal?: AbortSignal): Promise<string | undefined>;
  close(): void;
}

/** Undefined: nobody is there. A prompt may come through a pipe while a person sits at the terminal. */
export function openTerminal(): PersonTerminal | undefined {
  if (!process.stderr.isTTY) return undefined;
  if (process.stdin.isTTY) return new PersonTerminal(process.stdin);
  try {
    return new PersonTerminal(new ReadStream(openSync('/dev/tty', 'r')));
  } catch {
    return undefined;
  }
}

/** Without a person: every line of stdin is a turn. */
export function linesOfStdin(): Terminal {
  const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  const read = async (): Promise<string | undefined> => {
    for (;;) {
      const { done, value } = await lines.next();
      if (done) return undefined;
      if (value.trim() !== '') return value;
    }
  };
  // A question that is taken back leaves its line to the next one.
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
