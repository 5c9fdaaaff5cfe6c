/** A parsed cron expression: the matching numbers of each of its five fields. */
export interface Cron {
  minutes: readonly number[];
  hours: readonly number[];
  /** Days of the month. */
  days: readonly number[];
  /** 1 is January. */
  months: readonly number[];
  /** 0 is Sunday. */
  weekdays: readonly number[];
}

/** A cron expression is invalid; the message names the field. */
export class CronError extends Error {}

interface Field {
  name: string;
  min: number;
  max: number;
  names?: readonly string[];
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
/** In a leap year. */
const DAYS_IN_MONTH = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

const FIELDS = {
  minutes: { name: 'minute', min: 0, max: 59 },
  hours: { name: 'hour', min: 0, max: 23 },
  days: { name: 'day of the month', min: 1, max: 31 },
  months: { name: 'month', min: 1, max: 12, names: MONTHS },
  // Seven is also Sunday.
  weekdays: { name: 'day of the week', min: 0, max: 7, names: WEEKDAYS },
} as const satisfies Record<keyof Cron, Field>;

/**
 * Parses expressions such as `0 7 * * 1-5`: lists, ranges, steps and names, but nothing that cron implementations
 * interpret differently. Rejects dates that never occur.
 */
export function parseCron(text: string): Cron {
  const parts = text.trim().split(/[ \t]+/);
  if (parts.length !== 5)
    throw new CronError(
      `"${text.trim()}" has ${parts[0] === '' ? 0 : parts.length} fields; five are required: minute, hour, day of the month, month, day of the week`,
    );
  const [minutes = '', hours = '', days = '', months = '', weekdays = ''] = parts;
  const cron: Cron = {
    minutes: parseField(FIELDS.minutes, minutes),
    hours: parseField(FIELDS.hours, hours),
    days: parseField(FIELDS.days, days),
    months: parseField(FIELDS.months, months),
    weekdays: [...new Set(parseField(FIELDS.weekdays, weekdays).map((day) => day % 7))].sort((a, b) => a - b),
  };
  const canOccur = cron.months.some((month) => cron.days.some((day) => day <= (DAYS_IN_MONTH[month - 1] ?? 0)));
  if (!canOccur && isEveryWeekday(cron)) throw new CronError(`day ${days} never occurs in month ${months}`);
  return cron;
}

/** If both kinds of days are restricted, either one matches, as in every cron. */
export function isDay(cron: Cron, { month, day, weekday }: { month: number; day: number; weekday: number }): boolean {
  if (!cron.months.includes(month)) return false;
  const byMonth = cron.days.includes(day);
  const byWeek = cron.weekdays.includes(weekday);
  if (isEveryWeekday(cron)) return byMonth;
  return cron.days.length === 31 ? byWeek : byMonth || byWeek;
}

/** Every hour matches, so a repeated hour runs twice and a skipped hour not at all. */
export function isEveryHour({ hours }: Cron): boolean {
  return hours.length === 24;
}

function isEveryWeekday({ weekdays }: Cron): boolean {
  return weekdays.length === 7;
}

function parseField(field: Field, text: string): number[] {
  const numbers = new Set(text.split(',').flatMap((part) => parsePart(field, part)));
  return [...numbers].sort((a, b) => a - b);
}

function parsePart(field: Field, part: string): number[] {
  const [range = '', step, ...rest] = part.split('/');
  if (part === '' || rest.length > 0)
    throw invalidField(field, part, 'is not of the form 5, 1-5, */10, 8-18/2 or a list of those');
  const [from, to] = parseRange(field, range, step !== undefined);
  const by = step === undefined ? 1 : parseStep(field, part, step);
  return Array.from({ length: Math.floor((to - from) / by) + 1 }, (_, at) => from + at * by);
}

function parseRange(field: Field, range: string, hasStep: boolean): [number, number] {
  // Seven is the same day as zero.
  if (range === '*') return [field.min, field.max === 7 ? 6 : field.max];
  const [first = '', last, ...rest] = range.split('-');
  const from = parseNumber(field, range, first);
  if (last === undefined) {
    if (hasStep) throw invalidField(field, range, `has a step but no end; write ${first}-${field.max}`);
    return [from, from];
  }
  if (rest.length > 0) throw invalidField(field, range, 'has more than two bounds');
  const to = parseNumber(field, range, last);
  if (to < from) throw invalidField(field, range, 'ends before it starts; write it as a list of two ranges');
  return [from, to];
}

function parseStep(field: Field, part: string, step: string): number {
  const by = /^\d{1,2}$/.test(step) ? Number(step) : 0;
  if (by < 1 || by > field.max) throw invalidField(field, part, `has a step that is not between 1 and ${field.max}`);
  return by;
}

function parseNumber(field: Field, part: string, text: string): number {
  const { names = [], min, max } = field;
  const index = names.indexOf(text.toLowerCase());
  if (index !== -1) return index + min;
  const number = /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  const list = names.length === 0 ? '' : `, or one of ${names.join(', ')}`;
  throw invalidField(field, part, `is not between ${min} and ${max}${list}`);
}

function invalidField({ name }: Field, part: string, problem: string): CronError {
  return new CronError(`the ${name} "${part}" ${problem}`);
}
