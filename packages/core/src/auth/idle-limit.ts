const STEPS = 10;

export interface IdleLimit {
  over: Promise<void>;
  cancel(): void;
}

/**
 * Resolves after this many milliseconds in which the process could have received an answer: measured in short steps, so
 * that a blocked event loop (loading a parser, for example) counts as a single step.
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
