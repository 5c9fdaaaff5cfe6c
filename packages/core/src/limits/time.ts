/** The last moment that a `Date` knows. */
export const LATEST_TIME_MS = 8.64e15;

/** The longest limit of any provider is a month. What is further away is an error, or an attempt to stop an account for good. */
export const LONGEST_LIMIT_MS = 35 * 86_400_000;

/** When a limit is lifted, as somebody else has said it. Undefined: that is not a time at which a limit could be lifted. */
export function believableTime(at: number | null | undefined, now: number): number | undefined {
  return typeof at === 'number' && at >= 0 && at <= now + LONGEST_LIMIT_MS ? at : undefined;
}
