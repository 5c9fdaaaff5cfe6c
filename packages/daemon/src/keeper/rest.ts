/** A rest that can be cut short. */
export interface Rest {
  /** Resolves after so long, or when it is ended. One at a time. */
  take(ms: number): Promise<void>;
  /** The one that is taken; else nothing. */
  end(): void;
}

export function makeRest(): Rest {
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
