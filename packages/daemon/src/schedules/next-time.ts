import { type Cron, isDay, isEveryHour } from './cron.ts';

export const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** The 29th of February comes again after eight years at the latest; a few more, for one that must be a certain weekday. */
const MOST_DAYS = 12 * 366;

/**
 * The first time after another, in the time zone of this machine. A time of day that a change of the clock leaves out comes at
 * the next minute that there is; one that comes twice is taken the first time. Null: not within years.
 */
export function nextTime(cron: Cron, after: number): number | null {
  const from = Math.floor(after / MINUTE_MS) * MINUTE_MS + MINUTE_MS;
  const start = new Date(from);
  // The day before too: its last times may be such as were left out, and come today.
  const first = Date.UTC(start.getFullYear(), start.getMonth(), start.getDate()) - DAY_MS;
  for (let at = 0; at < MOST_DAYS; at += 1) {
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

/** Of the calendar alone, in which no day is longer or shorter than another. */
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

/** Minute by minute, as they pass. */
function firstMinuteOn(cron: Cron, { year, month, day }: CalendarDate, from: number): number | null {
  const end = new Date(year, month - 1, day + 1).getTime();
  const isWanted = new Set(cron.minutes);
  for (let at = Math.max(from, startOf(year, month, day)); at < end; at += MINUTE_MS)
    if (isWanted.has(new Date(at).getMinutes())) return at;
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

/** What a clock on the wall shows, as a moment. */
function resolve(year: number, month: number, day: number, hour: number, minute: number): number {
  const found = new Date(year, month - 1, day, hour, minute);
  const isThere = found.getHours() === hour && found.getMinutes() === minute && found.getDate() === day;
  if (isThere) return found.getTime();
  // It was left out, and the engine has gone as far beyond the gap as the time stood in it: back to the end of the gap.
  let at = found.getTime();
  const offset = found.getTimezoneOffset();
  while (new Date(at - MINUTE_MS).getTimezoneOffset() === offset) at -= MINUTE_MS;
  return at;
}
