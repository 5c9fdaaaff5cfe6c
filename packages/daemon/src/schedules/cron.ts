/** When something is to be done, in the five fields of cron, each as the numbers that it means. */
export interface Cron {
  minutes: readonly number[];
  hours: readonly number[];
  /** Of the month. */
  days: readonly number[];
  /** 1 is January. */
  months: readonly number[];
  /** 0 is Sunday. */
  weekdays: readonly number[];
}

/** What is wrong with the text of a schedule, and where. */
export class CronError extends Error {}

interface Field {
  name: string;
  least: number;
  most: number;
  words?: readonly string[];
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
/** Of a year that has them all. */
const DAYS_IN_MONTH = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

const FIELDS = {
  minutes: { name: 'minute', least: 0, most: 59 },
  hours: { name: 'hour', least: 0, most: 23 },
  days: { name: 'day of the month', least: 1, most: 31 },
  months: { name: 'month', least: 1, most: 12, words: MONTHS },
  // Seven is Sunday too.
  weekdays: { name: 'day of the week', least: 0, most: 7, words: WEEKDAYS },
} as const satisfies Record<keyof Cron, Field>;

/**
 * `0 7 * * 1-5`: lists, ranges, steps and names, and nothing that one cron reads in one way and another in another. A date that
 * never comes is refused.
 */
export function parseCron(text: string): Cron {
  const parts = text.trim().split(/[ \t]+/);
  if (parts.length !== 5)
    throw new CronError(
      `"${text.trim()}" has ${parts[0] === '' ? 0 : parts.length} fields, and five are needed: minute, hour, day of the month, month, day of the week`,
    );
  const [minutes = '', hours = '', days = '', months = '', weekdays = ''] = parts;
  const cron: Cron = {
    minutes: readField(FIELDS.minutes, minutes),
    hours: readField(FIELDS.hours, hours),
    days: readField(FIELDS.days, days),
    months: readField(FIELDS.months, months),
    weekdays: [...new Set(readField(FIELDS.weekdays, weekdays).map((day) => day % 7))].sort((a, b) => a - b),
  };
  const comes = cron.months.some((month) => cron.days.some((day) => day <= (DAYS_IN_MONTH[month - 1] ?? 0)));
  if (!comes && isEveryWeekday(cron)) throw new CronError(`there is no day ${days} in month ${months}`);
  return cron;
}

/** Where both kinds of days are limited, either is enough, as every cron has it. */
export function isDay(cron: Cron, { month, day, weekday }: { month: number; day: number; weekday: number }): boolean {
  if (!cron.months.includes(month)) return false;
  const byMonth = cron.days.includes(day);
  const byWeek = cron.weekdays.includes(weekday);
  if (isEveryWeekday(cron)) return byMonth;
  return cron.days.length === 31 ? byWeek : byMonth || byWeek;
}

/** It goes by minutes of the hour alone: then an hour that comes twice is two hours, and one that is left out is none. */
export function isEveryHour({ hours }: Cron): boolean {
  return hours.length === 24;
}

function isEveryWeekday({ weekdays }: Cron): boolean {
  return weekdays.length === 7;
}

function readField(field: Field, text: string): number[] {
  const numbers = new Set(text.split(',').flatMap((part) => readPart(field, part)));
  return [...numbers].sort((a, b) => a - b);
}

function readPart(field: Field, part: string): number[] {
  const [range = '', step, ...rest] = part.split('/');
  if (part === '' || rest.length > 0)
    throw refuse(field, part, 'is not one of 5, 1-5, */10, 8-18/2 or a list of those');
  const [from, to] = readRange(field, range, step !== undefined);
  const by = step === undefined ? 1 : readStep(field, part, step);
  return Array.from({ length: Math.floor((to - from) / by) + 1 }, (_, at) => from + at * by);
}

function readRange(field: Field, range: string, hasStep: boolean): [number, number] {
  // Seven is only a second name of what zero is already.
  if (range === '*') return [field.least, field.most === 7 ? 6 : field.most];
  const [first = '', last, ...rest] = range.split('-');
  const from = readNumber(field, range, first);
  if (last === undefined) {
    if (hasStep) throw refuse(field, range, `has a step, and it must be said up to where: ${first}-${field.most}`);
    return [from, from];
  }
  if (rest.length > 0) throw refuse(field, range, 'has more than two ends');
  const to = readNumber(field, range, last);
  if (to < from) throw refuse(field, range, 'ends before it begins: write it as a list of two ranges');
  return [from, to];
}

function readStep(field: Field, part: string, step: string): number {
  const by = /^\d{1,2}$/.test(step) ? Number(step) : 0;
  if (by < 1 || by > field.most) throw refuse(field, part, `has a step that is not from 1 to ${field.most}`);
  return by;
}

function readNumber(field: Field, part: string, text: string): number {
  const { words = [], least, most } = field;
  const named = words.indexOf(text.toLowerCase());
  if (named !== -1) return named + least;
  const number = /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  const names = words.length === 0 ? '' : `, or one of ${words.join(', ')}`;
  throw refuse(field, part, `is not from ${least} to ${most}${names}`);
}

function refuse({ name }: Field, part: string, problem: string): CronError {
  return new CronError(`the ${name} "${part}" ${problem}`);
}
