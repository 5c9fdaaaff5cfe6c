import { EXIT } from './exit-codes.ts';
import { toOneLine } from './screen/plain.ts';

/** What is left to say and do when told to end, before it is left undone. */
const FLUSH_MS = 500;

let leave: (code: number) => void = (code) => process.exit(code);
let isLost = false;
const told = new AbortController();

/**
 * Whoever reads has left (`| head`): what is under way ends without a word. A file that takes no more (a full disk) is a
 * failure, and said.
 */
export function watchForBrokenPipe(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (isLost) return;
    isLost = true;
    const hasLeft = error.code === 'EPIPE';
    if (!hasLeft) process.stderr.write(`amux: the output cannot be written: ${toOneLine(error.message, 500)}\n`);
    leave(hasLeft ? EXIT.ok : EXIT.failure);
  });
  process.stderr.on('error', () => {});
}

/** For a command that has something to end first. The code is 0 where a reader has left. */
export function onBrokenPipe(handler: (code: number) => void): void {
  leave = handler;
}

/** Whoever reads takes nothing at the moment. */
export function isStalled(): boolean {
  return [process.stdout, process.stderr].some(needsDrain);
}

/** Resolves when there is room for more, so that a slow reader slows the run and not the memory. */
export async function waitForRoom(): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) {
    if (!needsDrain(stream) || told.signal.aborted) continue;
    await new Promise<void>((resolve) => {
      const events = ['drain', 'close', 'error'];
      const go = () => {
        for (const event of events) stream.off(event, go);
        told.signal.removeEventListener('abort', go);
        resolve();
      };
      for (const event of events) stream.on(event, go);
      told.signal.addEventListener('abort', go);
    });
  }
}

/** A signal said that it is over: nobody is waited for any more, not even the one who reads. */
export function tellToEnd(): void {
  told.abort();
}

/** Ends when all is written; what a stalled reader does not take in time is lost after an abort. */
export function exitWith(code: number): void {
  process.exitCode = code;
  if (told.signal.aborted || code === EXIT.aborted) setTimeout(() => process.exit(code), FLUSH_MS).unref();
}

function needsDrain(stream: NodeJS.WriteStream): boolean {
  return stream.writableNeedDrain && !stream.errored && !stream.destroyed;
}
