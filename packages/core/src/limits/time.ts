/** The last moment that a `Date` knows: what is said to be later is then. */
export const LATEST_TIME_MS = 8.64e15;

/** A time that somebody else has told, as one that can be shown and reckoned with. */
export function limitTime(at: number): number {
  return Math.min(at, LATEST_TIME_MS);
}
