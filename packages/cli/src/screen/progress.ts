import { paint } from './paint.ts';
import { toOneLine } from './plain.ts';
import type { Stream } from './screen.ts';

/** Shorter work shows no progress: a flashing line is worse than none. */
const QUIET_MS = 400;
const FRAME_MS = 100;
const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const START_OF_LINE = '\r\x1b[K';

export type Say = (text: string) => void;

/** Prints while a progress line may be shown: clears the line first and redraws it below. */
export function aboveProgress(write: () => void): void {
  drawnOn?.write(START_OF_LINE);
  drawnOn = undefined;
  write();
}

/** Stream with a visible progress line. */
let drawnOn: Stream | undefined;

/**
 * Runs the work with a progress line on stderr, on a terminal only; the line is cleared at the end. `work` may change the
 * text.
 */
export async function withProgress<Result>(
  text: string,
  work: (say: Say) => Promise<Result>,
  stream: Stream = process.stderr,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Result> {
  if (!stream.isTTY || env.TERM === 'dumb') return work(() => {});
  const { cyan, dim } = paint(stream, env);
  const startedAt = Date.now();
  let status = text;
  const draw = () => {
    const seconds = Math.floor((Date.now() - startedAt) / 1000);
    const frame = FRAMES[Math.floor((Date.now() - startedAt) / FRAME_MS) % FRAMES.length] ?? '';
    const width = Math.max(20, (stream.columns ?? 80) - 10);
    stream.write(
      `${START_OF_LINE}${cyan(frame)} ${toOneLine(status, width)} ${dim(seconds > 0 ? `${seconds} s` : '')}`,
    );
    drawnOn = stream;
  };
  const timer = setInterval(() => {
    if (Date.now() - startedAt >= QUIET_MS) draw();
  }, FRAME_MS);
  timer.unref();
  try {
    return await work((next) => {
      status = next;
    });
  } finally {
    clearInterval(timer);
    aboveProgress(() => {});
  }
}
