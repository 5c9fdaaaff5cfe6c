import { ValidationError, type ValidationIssue } from '../contract/errors.ts';
import type { SessionFilter, SessionTime } from '../contract/session-queries.ts';
import { parseDuration } from '../duration.ts';

/** A filter whose times are epoch milliseconds. */
export type ResolvedFilter<Filter extends SessionFilter = SessionFilter> = Omit<Filter, 'since' | 'until'> & {
  since?: number;
  until?: number;
};

/** Throws VALIDATION_ERROR with every invalid field. */
export function resolveFilter<Filter extends SessionFilter>(filter: Filter, now = Date.now()): ResolvedFilter<Filter> {
  const { since, until, ...rest } = filter;
  const issues: ValidationIssue[] = [];
  const read = (field: string, value: SessionTime | undefined) => {
    const time = value === undefined ? undefined : timeOf(value, now);
    if (value !== undefined && time === undefined) issues.push({ field, problem: NOT_A_TIME });
    return time === undefined ? {} : { [field]: time };
  };
  const times = { ...read('since', since), ...read('until', until) };
  const { limit } = rest;
  if (limit !== undefined && !(Number.isInteger(limit) && limit >= 0))
    issues.push({ field: 'limit', problem: 'must be a non-negative integer' });
  if (issues.length > 0) throw new ValidationError('session query', issues);
  return { ...rest, ...times };
}

const NOT_A_TIME =
  'must be a time: epoch milliseconds, a Date, 2026-01-31, 2026-01-31T09:30, or a duration before now: 36h, 7d';

/** Undefined if it is not a time. */
function timeOf(value: SessionTime, now: number): number | undefined {
  const time = typeof value === 'string' ? parseTime(value, now) : Number(value);
  return Number.isFinite(time) ? time : undefined;
}

/**
 * `36h` (ago), `2026-01-31` (local time) or any date that `Date` parses, in epoch milliseconds; NaN if it is not a
 * time.
 */
export function parseTime(text: string, now: number): number {
  const ago = parseDuration(text);
  if (ago !== undefined) return now - ago;
  // A date alone is a local day, not one in UTC.
  return Date.parse(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00` : text);
}
