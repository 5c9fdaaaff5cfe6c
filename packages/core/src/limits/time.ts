/** The latest time a `Date` can represent. */
export const LATEST_TIME_MS = 8.64e15;

/**
 * The longest limit of any provider is a month. A later time is an error, or an attempt to block an account
 * permanently.
 */
export const LONGEST_LIMIT_MS = 35 * 86_400_000;

/** A reset time reported by others. Undefined: not a plausible reset time. */
export function believableTime(at: number | null | undefined, now: number): number | undefined {
  return typeof at === 'number' && at >= 0 && at <= now + LONGEST_LIMIT_MS ? at : undefined;
}
