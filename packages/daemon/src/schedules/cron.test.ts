import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { type Cron, CronError, isDay, isEveryHour, parseCron } from './cron.ts';
import { MINUTE_MS, nextTime } from './next-time.ts';

const ownZone = process.env.TZ;
afterAll(() => setZone(ownZone));

/** Node rereads the variable when it is set. */
function setZone(zone: string | undefined): void {
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
}

const local = (text: string) => new Date(text).getTime();
const format = (time: number | null) => (time === null ? null : new Date(time).toISOString());

describe('parseCron', () => {
  it.each<[string, Partial<Cron>]>([
    ['0 7 * * 1-5', { minutes: [0], hours: [7], weekdays: [1, 2, 3, 4, 5] }],
    [
      '*/15 8-18/2 1,15 jan,JUL *',
      { minutes: [0, 15, 30, 45], hours: [8, 10, 12, 14, 16, 18], days: [1, 15], months: [1, 7] },
    ],
    ['5,1-3,2 * * * sun', { minutes: [1, 2, 3, 5], weekdays: [0] }],
    ['0 0 * * 5-7', { weekdays: [0, 5, 6] }],
    ['0 0 * * mon-fri', { weekdays: [1, 2, 3, 4, 5] }],
    ['0\t0  29 2 *', { days: [29], months: [2] }],
    ['0 0 31 2 1', { days: [31], weekdays: [1] }],
  ])('parses %s', (text, expected) => {
    expect(parseCron(text)).toMatchObject(expected);
  });

  it.each([
    ['', 'has 0 fields'],
    ['0 7 * *', 'has 4 fields'],
    ['0 7 * * * *', 'has 6 fields'],
    ['@daily', 'has 1 fields'],
    ['60 * * * *', 'the minute "60" is not between 0 and 59'],
    ['-1 * * * *', 'the minute "-1"'],
    ['1.5 * * * *', 'the minute "1.5"'],
    ['* 24 * * *', 'the hour "24"'],
    ['* * 0 * *', 'the day of the month "0"'],
    ['* * * 13 *', 'the month "13"'],
    ['* * * * 8', 'the day of the week "8"'],
    ['* * * * mo', 'or one of sun, mon'],
    ['5-1 * * * *', 'ends before it starts'],
    ['* * * * fri-mon', 'ends before it starts'],
    ['1-2-3 * * * *', 'has more than two bounds'],
    ['5/10 * * * *', 'no end; write 5-59'],
    ['*/0 * * * *', 'has a step that is not between 1 and 59'],
    ['*/2/2 * * * *', 'is not of the form'],
    ['1, * * * *', 'is not of the form'],
    ['** * * * *', 'the minute "**"'],
    ['? * * * *', 'the minute "?"'],
    ['0 0 30 2 *', 'day 30 never occurs in month 2'],
    ['0 0 31 4,6 *', 'day 31 never occurs in month 4,6'],
  ])('rejects "%s" with the reason', (text, problem) => {
    expect(() => parseCron(text)).toThrow(CronError);
    expect(() => parseCron(text)).toThrow(problem);
  });

  it('parses or rejects any text', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[\d*,/\-a-z ?]{0,40}$/), (text) => {
        try {
          parseCron(text);
        } catch (error) {
          expect(error).toBeInstanceOf(CronError);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('nextTime', () => {
  it('runs a skipped time at the next existing minute', () => {
    setZone('Europe/Berlin');
    expect(format(nextTime(parseCron('30 2 * * *'), local('2026-03-28T12:00:00Z')))).toBe('2026-03-29T01:00:00.000Z');
    expect(format(nextTime(parseCron('30 2 * * *'), local('2026-03-29T01:00:00Z')))).toBe('2026-03-30T00:30:00.000Z');
  });

  it('runs a repeated time only the first time', () => {
    setZone('Europe/Berlin');
    const cron = parseCron('30 2 * * *');
    expect(format(nextTime(cron, local('2026-10-24T12:00:00Z')))).toBe('2026-10-25T00:30:00.000Z');
    expect(format(nextTime(cron, local('2026-10-25T00:30:00Z')))).toBe('2026-10-26T01:30:00.000Z');
  });

  it('runs an hourly schedule in each elapsed hour', () => {
    setZone('Europe/Berlin');
    const cron = parseCron('30 * * * *');
    expect(format(nextTime(cron, local('2026-10-25T00:30:00Z')))).toBe('2026-10-25T01:30:00.000Z');
    expect(format(nextTime(cron, local('2026-03-29T00:30:00Z')))).toBe('2026-03-29T01:30:00.000Z');
  });

  it('runs a skipped day on the next day', () => {
    setZone('Pacific/Apia');
    expect(format(nextTime(parseCron('0 9 30 12 *'), local('2011-12-01T00:00:00Z')))).toBe('2011-12-30T10:00:00.000Z');
  });

  it('finds February 29 across a century without one', () => {
    setZone('UTC');
    expect(format(nextTime(parseCron('0 0 29 2 *'), local('2096-03-01T00:00:00Z')))).toBe('2104-02-29T00:00:00.000Z');
  });

  const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'America/Havana', 'Asia/Kathmandu'];
  // More often around clock changes.
  const starts = [
    ...['2026-03-08T00:00Z', '2026-03-29T00:00Z', '2026-04-04T12:00Z', '2026-10-03T12:00Z', '2026-10-25T00:00Z'],
    ...['2026-11-01T00:00Z', '2026-12-31T00:00Z', '2028-02-28T00:00Z'],
  ].map((text) => new Date(text).getTime());
  const list = (least: number, most: number) =>
    fc.uniqueArray(fc.integer({ min: least, max: most }), { minLength: 1, maxLength: 4 }).map((all) => all.join(','));
  const fields = fc.tuple(
    fc.oneof(list(0, 59), fc.constantFrom('*', '*/7', '10-50/20')),
    fc.oneof(list(0, 23), fc.constantFrom('*', '*/3', '0-4', '1-3')),
    fc.oneof({ weight: 3, arbitrary: fc.constant('*') }, { weight: 1, arbitrary: list(1, 31) }),
    fc.constant('*'),
    fc.oneof({ weight: 3, arbitrary: fc.constant('*') }, { weight: 1, arbitrary: list(0, 7) }),
  );

  it('matches a minute-by-minute check of the clock', { timeout: 120_000 }, () => {
    fc.assert(
      fc.property(
        fields,
        fc.constantFrom(...zones),
        fc.constantFrom(...starts),
        fc.integer({ min: -2000, max: 2000 }),
        (text, zone, start, shift) => {
          setZone(zone);
          const cron = parseCron(text.join(' '));
          const from = start + shift * MINUTE_MS;
          const until = from + 3 * 24 * 60 * MINUTE_MS;
          const expected = watchClock(cron, from, until).map(format);
          const found: number[] = [];
          for (let at = nextTime(cron, from); at !== null && at <= until; at = nextTime(cron, at)) found.push(at);
          expect(found.map(format)).toEqual(expected);
        },
      ),
      { numRuns: 150 },
    );
  });
});

/** Checks the local time of every minute, starting early enough to know which times it has already seen. */
function watchClock(cron: Cron, after: number, until: number): number[] {
  const due: number[] = [];
  const shown = new Set<number>();
  let before: number | null = null;
  for (let at = after - 26 * 60 * MINUTE_MS; at <= until; at += MINUTE_MS) {
    const wall = wallOf(at);
    const leftOut: number[] = [];
    for (let gone = (before ?? wall) + MINUTE_MS; before !== null && gone < wall; gone += MINUTE_MS) leftOut.push(gone);
    const isFirst = !shown.has(wall);
    const isDue = isEveryHour(cron)
      ? isMeant(cron, wall)
      : (isFirst && isMeant(cron, wall)) || leftOut.some((gone) => isMeant(cron, gone));
    if (isDue && at > after) due.push(at);
    shown.add(wall);
    before = wall;
  }
  return due;
}

function wallOf(time: number): number {
  const date = new Date(time);
  return Date.UTC(date.getFullYear(), date.getMonth(), date.getDate(), date.getHours(), date.getMinutes());
}

function isMeant(cron: Cron, wall: number): boolean {
  const date = new Date(wall);
  const day = { month: date.getUTCMonth() + 1, day: date.getUTCDate(), weekday: date.getUTCDay() };
  return isDay(cron, day) && cron.hours.includes(date.getUTCHours()) && cron.minutes.includes(date.getUTCMinutes());
}
