import { EXIT } from './exit-codes.ts';
import { toOneLine } from './screen/plain.ts';

/** Time left to flush output after an abort. */
const FLUSH_MS = 500;

let leave: (code: number) => void = (code) => process.exit(code);
let isLost = false;
const aborted = new AbortController();

/**
 * Exits silently when the reader closes the pipe (`| head`). Other write errors, such as a full disk, are reported as a
 * failure.
 */
export function watchForBrokenPipe(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (isLost) return;
    isLost = true;
    const hasLeft = error.code === 'EPIPE';
    if (!hasLeft) process.stderr.write(`amux: cannot write output: ${toOneLine(error.message, 500)}\n`);
    leave(hasLeft ? EXIT.ok : EXIT.failure);
  });
  process.stderr.on('error', () => {});
}

/** Registers cleanup to run first. The exit code is 0 if the reader closed the pipe. */
export function onBrokenPipe(handler: (code: number) => void): void {
  leave = handler;
}

/** Whether the reader is not keeping up. */
export function isStalled(): boolean {
  return [process.stdout, process.stderr].some(needsDrain);
}

/** Resolves when the streams are writable again, so that a slow reader slows the run instead of filling memory. */
export async function waitForDrain(): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) {
    if (!needsDrain(stream) || aborted.signal.aborted) continue;
    await new Promise<void>((resolve) => {
      const events = ['drain', 'close', 'error'];
      const go = () => {
        for (const event of events) stream.off(event, go);
        aborted.signal.removeEventListener('abort', go);
        resolve();
      };
      for (const event of events) stream.on(event, go);
      aborted.signal.addEventListener('abort', go);
    });
  }
}

/** Called on a signal: stops waiting for slow readers. */
export function stopWaiting(): void {
  aborted.abort();
}

/** Exits when all output is written; after an abort, a stalled reader loses the rest. */
export function exitWith(code: number): void {
  process.exitCode = code;
  if (aborted.signal.aborted || code === EXIT.aborted) setTimeout(() => process.exit(code), FLUSH_MS).unref();
}

function needsDrain(stream: NodeJS.WriteStream): boolean {
  return stream.writableNeedDrain && !stream.errored && !stream.destroyed;
}
