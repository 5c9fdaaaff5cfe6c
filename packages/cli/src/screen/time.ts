import { formatDuration } from '@agent-mux/core/light';

/** Local time in a fixed format: `2026-11-16 15:29:16`. */
export function clockTime(at: number): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return '-';
  const [year, ...rest] = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()];
  return `${[year, ...rest.map(twoDigits)].join('-')} ${time.map(twoDigits).join(':')}`;
}

/** Remaining duration and time. */
export function untilTime(at: number, now: number = Date.now()): string {
  return at <= now ? 'now' : `in ${formatDuration(Math.max(1000, at - now))}, at ${clockTime(at)}`;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}
