/** A pause that can be cut short. */
export interface Pause {
  /** Resolves after so long, or when it is ended. One at a time. */
  take(ms: number): Promise<void>;
  /** The one that is taken; else nothing. */
  end(): void;
}

export function makePause(): Pause {
  let end = () => {};
  return {
    take: (ms) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, ms);
        end = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
    end: () => end(),
  };
}
