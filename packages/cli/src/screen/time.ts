import { durationInWords } from '@agent-mux/core/light';

/** The person's own clock, in a form that is the same everywhere: `2026-11-16 15:29:16`. */
export function clockTime(at: number): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return '-';
  const [year, ...rest] = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()];
  return `${[year, ...rest.map(twoDigits)].join('-')} ${time.map(twoDigits).join(':')}`;
}

/** What a person wants to know of a time to come: how long, and when. */
export function untilTime(at: number, now: number = Date.now()): string {
  return at <= now ? 'now' : `in ${durationInWords(Math.max(1000, at - now))}, at ${clockTime(at)}`;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}
