import { EXIT } from './exit-codes.ts';

let leave: () => void = () => process.exit(EXIT.ok);

/** Whoever reads has left (`| head`): what is under way ends without a word. */
export function watchForBrokenPipe(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') leave();
    else throw error;
  });
  process.stderr.on('error', () => {});
}

/** For a command that has something to end first. */
export function onBrokenPipe(handler: () => void): void {
  leave = handler;
}
