export interface InterruptibleSleep {
  /** Resolves after `ms`, or when interrupted. At most one sleep at a time. */
  sleep(ms: number): Promise<void>;
  /** Ends the current sleep, if any. */
  interrupt(): void;
}

export function createInterruptibleSleep(): InterruptibleSleep {
  let interrupt = () => {};
  return {
    sleep: (ms) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, ms);
        interrupt = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
    interrupt: () => interrupt(),
  };
}
