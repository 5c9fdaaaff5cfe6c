import { paint } from './paint.ts';
import { toOneLine } from './plain.ts';
import type { Stream } from './screen.ts';

/** What is done sooner than this shows nothing: a line that flashes is worse than none. */
const QUIET_MS = 400;
const FRAME_MS = 100;
const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const START_OF_LINE = '\r\x1b[K';

export type Say = (text: string) => void;

/** What is printed while a line of progress may stand there: it is taken away first, and comes again below. */
export function aboveProgress(write: () => void): void {
  drawnOn?.write(START_OF_LINE);
  drawnOn = undefined;
  write();
}

/** Where a line stands at the moment. */
let drawnOn: Stream | undefined;

/**
 * Does the work while a line on stderr tells that something happens; it is gone when the work is over. Only where
 * somebody looks. `work` may change the text as it goes.
 */
export async function withProgress<Result>(
  text: string,
  work: (say: Say) => Promise<Result>,
  stream: Stream = process.stderr,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Result> {
  if (!stream.isTTY || env.TERM === 'dumb') return work(() => {});
  const { cyan, dim } = paint(stream, env);
  const begun = Date.now();
  let said = text;
  const draw = () => {
    const seconds = Math.floor((Date.now() - begun) / 1000);
    const frame = FRAMES[Math.floor((Date.now() - begun) / FRAME_MS) % FRAMES.length] ?? '';
    const width = Math.max(20, (stream.columns ?? 80) - 10);
    stream.write(`${START_OF_LINE}${cyan(frame)} ${toOneLine(said, width)} ${dim(seconds > 0 ? `${seconds} s` : '')}`);
    drawnOn = stream;
  };
  const timer = setInterval(() => {
    if (Date.now() - begun >= QUIET_MS) draw();
  }, FRAME_MS);
  timer.unref();
  try {
    return await work((next) => {
      said = next;
    });
  } finally {
    clearInterval(timer);
    aboveProgress(() => {});
  }
}
