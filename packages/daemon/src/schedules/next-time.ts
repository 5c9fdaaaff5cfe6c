import { type Cron, isDay, isEveryHour } from './cron.ts';

export const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** February 29 recurs after eight years at the latest; longer if it must be a certain weekday. */
const MAX_DAYS = 12 * 366;

/**
 * The first matching time after `after`, in the local time zone. A time that a clock change skips runs at the next
 * existing minute; a repeated time runs only the first time. Null: none within years.
 */
export function nextTime(cron: Cron, after: number): number | null {
  const from = Math.floor(after / MINUTE_MS) * MINUTE_MS + MINUTE_MS;
  const start = new Date(from);
  // Start one day earlier: times skipped at its end run today.
  const first = Date.UTC(start.getFullYear(), start.getMonth(), start.getDate()) - DAY_MS;
  for (let at = 0; at < MAX_DAYS; at += 1) {
    const date = dateOf(first + at * DAY_MS);
    if (!isDay(cron, date)) continue;
    const found = firstOn(cron, date, from);
    if (found !== null) return found;
  }
  return null;
}

interface CalendarDate {
  year: number;
  /** 1 is January. */
  month: number;
  day: number;
  weekday: number;
}

/** Calendar date, independent of the time zone. */
function dateOf(utc: number): CalendarDate {
  const date = new Date(utc);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    weekday: date.getUTCDay(),
  };
}

function firstOn(cron: Cron, date: CalendarDate, from: number): number | null {
  return isEveryHour(cron) ? firstMinuteOn(cron, date, from) : firstTimeOn(cron, date, from);
}

/** Checks every elapsed minute. */
function firstMinuteOn(cron: Cron, { year, month, day }: CalendarDate, from: number): number | null {
  const end = new Date(year, month - 1, day + 1).getTime();
  const minutes = new Set(cron.minutes);
  for (let at = Math.max(from, startOf(year, month, day)); at < end; at += MINUTE_MS)
    if (minutes.has(new Date(at).getMinutes())) return at;
  return null;
}

function startOf(year: number, month: number, day: number): number {
  return resolve(year, month, day, 0, 0);
}

function firstTimeOn(cron: Cron, { year, month, day }: CalendarDate, from: number): number | null {
  let best: number | null = null;
  for (const hour of cron.hours) {
    for (const minute of cron.minutes) {
      const time = resolve(year, month, day, hour, minute);
      if (time >= from && (best === null || time < best)) best = time;
    }
  }
  return best;
}

/** Converts local time to a timestamp. */
function resolve(year: number, month: number, day: number, hour: number, minute: number): number {
  const found = new Date(year, month - 1, day, hour, minute);
  const exists = found.getHours() === hour && found.getMinutes() === minute && found.getDate() === day;
  if (exists) return found.getTime();
  // The time does not exist. Date has moved past the gap by the same amount; go back to the end of the gap.
  let at = found.getTime();
  const offset = found.getTimezoneOffset();
  while (new Date(at - MINUTE_MS).getTimezoneOffset() === offset) at -= MINUTE_MS;
  return at;
}
