const STEPS = 10;

export interface IdleLimit {
  over: Promise<void>;
  cancel(): void;
}

/**
 * Over after so many milliseconds in which this process had the chance to hear an answer: taken in short steps, so that
 * a while in which it was busy itself (loading a parser, say) counts as one step and not as the whole.
 */
export function waitIdle(limitMs: number): IdleLimit {
  const { promise, resolve } = Promise.withResolvers<void>();
  let left = STEPS;
  const step = () => {
    left -= 1;
    if (left < 0) resolve();
    else timer = setTimeout(step, limitMs / STEPS);
  };
  let timer: NodeJS.Timeout | undefined;
  step();
  return { over: promise, cancel: () => clearTimeout(timer) };
}
