import { fstatSync } from 'node:fs';
import { paint } from '../screen/paint.ts';
import { UsageError } from '../usage-error.ts';
import { TEXT_LIMIT } from './read-text.ts';

/** Whoever waits longer than this is told for what. */
const TELL_MS = 1000;
/** A program often leaves the stdin of what it starts open and says nothing: it is not waited for longer than this. */
const SILENCE_MS = 1000;

/**
 * All of stdin. `mayBeSilent`: there is a prompt without it. A pipe of the shell is read to its end, however long that takes;
 * a socket, which is what programs connect, is left when nothing has come.
 */
export async function readStdin({ mayBeSilent }: { mayBeSilent: boolean }): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const { stdin } = process;
  return new Promise((resolve, reject) => {
    const isLeft = mayBeSilent && isSocket();
    const tell = setTimeout(
      () => say('reading stdin until it ends; --no-stdin or < /dev/null leaves it out'),
      isLeft ? SILENCE_MS + TELL_MS : TELL_MS,
    );
    const leave = isLeft ? setTimeout(() => end(leaveOut), SILENCE_MS) : undefined;
    const leaveOut = () => {
      say('nothing came on stdin, so it is left out; - waits for it, --no-stdin does not look at it');
      resolve(Buffer.alloc(0));
    };
    const onData = (chunk: Buffer) => {
      clearTimeout(leave);
      bytes += chunk.length;
      chunks.push(chunk);
      if (bytes > TEXT_LIMIT) end(() => reject(tooLarge()));
    };
    const onEnd = () => end(() => resolve(Buffer.concat(chunks)));
    const onError = (error: Error) => end(() => reject(new UsageError(`stdin: ${error.message}`)));
    const end = (done: () => void) => {
      clearTimeout(tell);
      clearTimeout(leave);
      stdin.off('data', onData).off('end', onEnd).off('error', onError);
      // Nothing of it keeps the process alive, and whoever writes more is told that nobody reads.
      stdin.on('error', () => {}).destroy();
      done();
    };
    stdin.on('data', onData).on('end', onEnd).on('error', onError);
  });
}

function tooLarge(): UsageError {
  return new UsageError(
    `stdin: it has more than ${TEXT_LIMIT / 1024 / 1024} MiB, which is no prompt`,
    'put it into a file, and tell the agent where it lies',
  );
}

function isSocket(): boolean {
  try {
    return fstatSync(0).isSocket();
  } catch {
    return false;
  }
}

function say(text: string): void {
  process.stderr.write(`${paint(process.stderr).yellow('amux:')} ${text}\n`);
}
