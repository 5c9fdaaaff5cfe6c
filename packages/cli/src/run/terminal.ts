import { openSync } from 'node:fs';
import { createInterface, type Interface } from 'node:readline/promises';
import { ReadStream } from 'node:tty';
import type { Screen } from '../screen/screen.ts';

/** Where a person can be asked. What is asked goes to stderr, so that stdout stays the answer. */
export interface Terminal {
  /** The typed line; undefined when there is no more (Ctrl-D) or the question was taken back. */
  ask(question: string, signal?: AbortSignal): Promise<string | undefined>;
  close(): void;
}

/** Undefined: nobody is there. A prompt may come through a pipe while a person sits at the terminal. */
export function openTerminal(): Terminal | undefined {
  if (!process.stderr.isTTY) return undefined;
  if (process.stdin.isTTY) return askingOn(process.stdin);
  try {
    return askingOn(new ReadStream(openSync('/dev/tty', 'r')));
  } catch {
    return undefined;
  }
}

/** Readline holds the terminal only while somebody is asked: in between Ctrl-C is a signal, as everywhere. */
function askingOn(input: ReadStream): Terminal {
  let current: Interface | undefined;
  return {
    async ask(question, signal) {
      if (signal?.aborted) return undefined;
      const asking = createInterface({ input, output: process.stderr });
      current = asking;
      asking.on('SIGINT', () => process.emit('SIGINT'));
      const ended = new Promise<undefined>((resolve) => asking.once('close', () => resolve(undefined)));
      try {
        return await Promise.race([asking.question(question, signal ? { signal } : {}), ended]);
      } catch {
        return undefined;
      } finally {
        asking.close();
        input.pause();
        current = undefined;
      }
    },
    close() {
      current?.close();
      if (input === process.stdin) input.pause();
      else input.destroy();
    },
  };
}

/** The same with a screen that knows where the cursor stands. */
export function onScreen(terminal: Terminal, screen: Screen): Terminal {
  return {
    async ask(question, signal) {
      screen.prompting();
      const answer = await terminal.ask(question, signal);
      if (answer !== undefined) screen.typed();
      return answer;
    },
    close: () => terminal.close(),
  };
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
