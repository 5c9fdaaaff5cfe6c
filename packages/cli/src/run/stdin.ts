import { fstatSync } from 'node:fs';
import { paint } from '../screen/paint.ts';
import { UsageError } from '../usage-error.ts';
import { TEXT_LIMIT } from './read-text.ts';

/** After this time, prints what it is waiting for. */
const NOTICE_MS = 1000;
/** Programs often leave the stdin of a child open and silent; waits no longer than this. */
const SILENCE_MS = 1000;

/**
 * Reads all of stdin. `mayBeSilent`: there is a prompt without it. A shell pipe is read to its end, however long that takes; a
 * socket, which is what programs connect, is given up when nothing arrives.
 */
export async function readStdin({ mayBeSilent }: { mayBeSilent: boolean }): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const { stdin } = process;
  return new Promise((resolve, reject) => {
    const isLeft = mayBeSilent && isSocket();
    const notice = setTimeout(
      () => say('reading stdin until it ends; use --no-stdin or < /dev/null to skip it'),
      isLeft ? SILENCE_MS + NOTICE_MS : NOTICE_MS,
    );
    const leave = isLeft ? setTimeout(() => end(leaveOut), SILENCE_MS) : undefined;
    const leaveOut = () => {
      say('no input on stdin, so it is skipped; use - to wait for it, --no-stdin to ignore it');
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
      clearTimeout(notice);
      clearTimeout(leave);
      stdin.off('data', onData).off('end', onEnd).off('error', onError);
      // Releases stdin, so that it does not keep the process alive and the writer gets an error.
      stdin.on('error', () => {}).destroy();
      done();
    };
    stdin.on('data', onData).on('end', onEnd).on('error', onError);
  });
}

function tooLarge(): UsageError {
  return new UsageError(
    `stdin: input exceeds ${TEXT_LIMIT / 1024 / 1024} MiB`,
    'put it into a file and name the file in the prompt',
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
