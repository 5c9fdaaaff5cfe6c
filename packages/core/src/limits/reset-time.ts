/** Finds the reset time of a limit in messages and headers of agents and providers. All patterns are linear. */

const UNITS_MS: readonly [pattern: RegExp, ms: number][] = [
  [/^(?:ms|millis\w*)$/, 1],
  [/^s(?:ecs?|econds?)?$/, 1000],
  [/^m(?:ins?|inutes?)?$/, 60_000],
  [/^h(?:rs?|ours?)?$/, 3_600_000],
  [/^d(?:ays?)?$/, 86_400_000],
  [/^w(?:eeks?)?$/, 604_800_000],
];

/** `5 days`, `22h`, `4.5s`; a bare number has no unit. */
const PART = /^(?:,? ?(?:and )?)(\d{1,12}(?:\.\d{1,12})?) ?([a-z]{1,12})?/i;
const MAX_PARTS = 6;

/**
 * `2h3m4s`, `5 days 22 hours 11 minutes`, `55s`, at the start of a text, in milliseconds. A bare number is in seconds.
 */
export function parseProseDuration(text: string): number | undefined {
  let total: number | undefined;
  let rest = text.slice(0, 120);
  for (let parts = 0; parts < MAX_PARTS; parts++) {
    const [whole, amount, unit] = PART.exec(rest) ?? [];
    if (whole === undefined || amount === undefined) break;
    const unitMs = unit === undefined ? undefined : unitOf(unit);
    if (unitMs === undefined && total !== undefined) break;
    // `3 requests`, `15th`: a number of something else. A clock time is not a duration either.
    if (unit !== undefined && unitMs === undefined) break;
    if (unit === undefined && /^[:/]/.test(rest.slice(whole.length))) break;
    total = (total ?? 0) + Number(amount) * (unitMs ?? 1000);
    if (unit === undefined) break;
    rest = rest.slice(whole.length);
  }
  return total === undefined ? undefined : Math.round(total);
}

function unitOf(unit: string): number | undefined {
  const lower = unit.toLowerCase();
  return UNITS_MS.find(([pattern]) => pattern.test(lower))?.[1];
}

/** The value of `Retry-After`: seconds, or a date. In milliseconds from now. */
export function parseRetryAfter(value: string, now: number): number | undefined {
  const text = value.trim();
  if (/^\d{1,12}(?:\.\d{1,6})?$/.test(text)) return Math.round(Number(text) * 1000);
  const date = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** Names before a number of seconds, a duration or a time, as in JSON, headers and logs. */
const NAMED =
  /(?:retry[-_ ]?(?:after|delay|in)|resets?[-_ ]?(?:in|after|at|time)|retry[-_ ]?after|quota ?reset ?(?:delay|time(?:stamp)?))([-_ ]?(?:ms|seconds?|secs?))?\\?["']?[ ]{0,2}[=:][ ]{0,2}\\?["']?/gi;
/** Phrases before it in a sentence. */
const PHRASED =
  /(?:again|retry(?:ing)?|resets?|renews?|refresh(?:es)?|available|lifted|wait(?:ing)?)(?: again| back)?(?:,? ?(?:in|after|at|on|for|until|about|another|approximately|~)){0,3} {0,2}/gi;
/** `usage limit reached|1794788965` */
const AFTER_BAR = /limit reached\|(\d{10,13})\b/i;

/** The reset time in this message, in epoch milliseconds; undefined: none. */
export function findResetTime(message: string, now: number): number | undefined {
  const text = message.slice(0, 4000);
  const bar = AFTER_BAR.exec(text)?.[1];
  if (bar !== undefined) return epochMs(Number(bar));
  for (const match of text.matchAll(PHRASED)) {
    const at = readTime(text.slice(match.index + match[0].length), now);
    if (at !== undefined) return at;
  }
  for (const match of text.matchAll(NAMED)) {
    const rest = text.slice(match.index + match[0].length);
    const at = readNamedTime(rest, match[1], now);
    if (at !== undefined) return at;
  }
  return undefined;
}

function readNamedTime(rest: string, unit: string | undefined, now: number): number | undefined {
  const plain = /^(\d{1,13})(?![\d.a-z:-])/i.exec(rest)?.[1];
  if (plain === undefined) return readTime(rest, now);
  const amount = Number(plain);
  // This many seconds would be three hundred years: it is a timestamp.
  if (amount >= 1e9 && !unit) return epochMs(amount);
  return now + (unit && /ms/i.test(unit) ? amount : amount * 1000);
}

/** A duration or a date at the start of a text. */
function readTime(rest: string, now: number): number | undefined {
  const date = readDate(rest, now);
  if (date !== undefined) return date;
  const duration = /^\d{1,12}(?:\.\d{1,12})? ?[a-z]/i.test(rest) ? parseProseDuration(rest) : undefined;
  return duration === undefined ? undefined : now + duration;
}

const ISO = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d| UTC)?/;
const HTTP_DATE = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT/;
/** `April 20, 2026 at 2:00 AM`, `Oct 5th, 9am`. */
const DAY = /^([A-Z][a-z]{2,8})\.? (\d{1,2})(?:st|nd|rd|th)?(?:,? (\d{4}))?(?:,? (?:at )?)/;
/** `3pm`, `3:05 PM`, `15:05`. */
const CLOCK = /^(\d{1,2})(?::(\d\d))? ?(am|pm)?\b/i;
const ZONE = /^ ?\(?([A-Z][A-Za-z_]{1,30}(?:\/[A-Za-z_]{1,30}){1,2}|UTC|GMT)\)?/;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAY_MS = 86_400_000;

/** Without a zone it is local time, as the CLIs print it. */
function readDate(rest: string, now: number): number | undefined {
  const whole = ISO.exec(rest)?.[0] ?? HTTP_DATE.exec(rest)?.[0];
  if (whole !== undefined) return parseDate(whole);
  const [dayText = '', monthName = '', day, year] = DAY.exec(rest) ?? [];
  const month = MONTHS.indexOf(monthName.slice(0, 3).toLowerCase());
  if (dayText !== '' && month === -1) return undefined;
  const [clockText = '', hour, minute, half] = CLOCK.exec(rest.slice(dayText.length)) ?? [];
  const hasClock = hour !== undefined && (minute !== undefined || half !== undefined) && Number(hour) < 25;
  if (dayText === '' && !hasClock) return undefined;
  const zone = ZONE.exec(rest.slice(dayText.length + clockText.length))?.[1];
  const today = new Date(now + zoneOffset(zone, now));
  const parts = {
    year: year === undefined ? today.getUTCFullYear() : Number(year),
    month: dayText === '' ? today.getUTCMonth() : month,
    day: day === undefined ? today.getUTCDate() : Number(day),
  };
  const clock = hasClock ? [hoursOf(Number(hour), half), Number(minute ?? 0)] : [0, 0];
  const inZone = (inYear: number) => {
    const wall = Date.UTC(inYear, parts.month, parts.day, clock[0], clock[1]);
    return wall - zoneOffset(zone, wall);
  };
  const at = inZone(parts.year);
  if (at >= now || year !== undefined) return at;
  // A time of day in the past means tomorrow; a date in the past means next year.
  return dayText === '' ? at + DAY_MS : inZone(parts.year + 1);
}

function hoursOf(hour: number, half: string | undefined): number {
  return half === undefined ? hour : (hour % 12) + (half.toLowerCase() === 'pm' ? 12 : 0);
}

function parseDate(date: string): number | undefined {
  const time = Date.parse(date.replace(/ UTC$/, 'Z'));
  return Number.isNaN(time) ? undefined : time;
}

/** Offset of a zone from UTC at that time. */
function zoneOffset(zone: string | undefined, at: number): number {
  if (zone === 'UTC' || zone === 'GMT') return 0;
  try {
    const options = { timeZone: zone, hourCycle: 'h23', dateStyle: 'short', timeStyle: 'medium' } as const;
    const shown = new Intl.DateTimeFormat('sv-SE', options).format(at);
    return Date.parse(`${shown.replace(' ', 'T')}Z`) - Math.floor(at / 1000) * 1000;
  } catch {
    return -new Date(at).getTimezoneOffset() * 60_000;
  }
}

function epochMs(time: number): number {
  return time < 1e11 ? time * 1000 : time;
}
