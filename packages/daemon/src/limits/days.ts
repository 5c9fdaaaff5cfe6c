/** `2026-11-16`, in the local time zone: the day as the user sees it. */
export function dayOf(time: number): string {
  const date = new Date(time);
  return `${date.getFullYear()}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())}`;
}

/** Midnight at the end of the day. */
export function startOfNextDay(time: number): number {
  const date = new Date(time);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + 1).getTime();
}

/** A daily time range in minutes since midnight; if it ends before it starts, it spans midnight. */
export interface Hours {
  from: number;
  to: number;
}

const CLOCK = /^([01]?\d|2[0-4]):([0-5]\d)$/;

/** Parses `08:00-22:00` or `22:00-06:00`; undefined if invalid. */
export function parseHours(text: string): Hours | undefined {
  const [from, to, ...rest] = text.split('-').map((part) => minutesOf(part.trim()));
  if (from === undefined || to === undefined || rest.length > 0 || from === to || from === DAY_MINUTES)
    return undefined;
  return { from, to };
}

export function formatHours({ from, to }: Hours): string {
  return `${clockOf(from)}-${clockOf(to)}`;
}

/** The time itself if it is within the hours, else the next start of the hours. */
export function nextWithin(hours: Hours | null, time: number): number {
  if (hours === null) return time;
  const date = new Date(time);
  const minute = date.getHours() * 60 + date.getMinutes();
  const { from, to } = hours;
  const isWithin = from < to ? minute >= from && minute < to : minute >= from || minute < to;
  if (isWithin) return time;
  const day = minute < from ? date.getDate() : date.getDate() + 1;
  return new Date(date.getFullYear(), date.getMonth(), day, Math.floor(from / 60), from % 60).getTime();
}

const DAY_MINUTES = 24 * 60;

function minutesOf(clock: string): number | undefined {
  const [, hours, minutes] = CLOCK.exec(clock) ?? [];
  if (hours === undefined || minutes === undefined) return undefined;
  const all = Number(hours) * 60 + Number(minutes);
  return all <= DAY_MINUTES ? all : undefined;
}

function clockOf(minutes: number): string {
  return `${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}
