import { type Fault, ValidationError } from '../contract/errors.ts';
import type { SessionFilter, SessionTime } from '../contract/session-queries.ts';
import { parseDuration } from '../duration.ts';

/** A filter whose times are epoch milliseconds. */
export type ResolvedFilter<Filter extends SessionFilter = SessionFilter> = Omit<Filter, 'since' | 'until'> & {
  since?: number;
  until?: number;
};

/** Throws VALIDATION_ERROR with every field that is wrong. */
export function resolveFilter<Filter extends SessionFilter>(filter: Filter, now = Date.now()): ResolvedFilter<Filter> {
  const { since, until, ...rest } = filter;
  const faults: Fault[] = [];
  const read = (field: string, value: SessionTime | undefined) => {
    const time = value === undefined ? undefined : timeOf(value, now);
    if (value !== undefined && time === undefined) faults.push({ field, problem: NOT_A_TIME });
    return time === undefined ? {} : { [field]: time };
  };
  const times = { ...read('since', since), ...read('until', until) };
  const { limit } = rest;
  if (limit !== undefined && !(Number.isInteger(limit) && limit >= 0))
    faults.push({ field: 'limit', problem: 'must be a whole number from 0' });
  if (faults.length > 0) throw new ValidationError('the query of sessions', faults);
  return { ...rest, ...times };
}

const NOT_A_TIME = 'must be a time: epoch milliseconds, a Date, 2026-01-31, 2026-01-31T09:30, or how long ago: 36h, 7d';

/** Undefined: it is not a time. */
function timeOf(value: SessionTime, now: number): number | undefined {
  const time = typeof value === 'string' ? parseTime(value, now) : Number(value);
  return Number.isFinite(time) ? time : undefined;
}

/** `36h` (ago), `2026-01-31` (local time) or any date that `Date` reads, in epoch milliseconds; NaN: it is not a time. */
export function parseTime(text: string, now: number): number {
  const ago = parseDuration(text);
  if (ago !== undefined) return now - ago;
  // A date alone is a day of this place, not of Greenwich.
  return Date.parse(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00` : text);
}
