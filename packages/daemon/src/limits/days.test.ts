import { describe, expect, it } from 'vitest';
import { dayOf, formatHours, nextWithin, parseHours, startOfNextDay } from './days.ts';

const at = (day: number, hour: number, minute = 0) => new Date(2026, 10, day, hour, minute).getTime();

describe('hours', () => {
  it.each(['08:00-22:00', '22:00-06:00', '00:00-24:00', '09:30-17:45'])('parses and formats %s', (text) => {
    const hours = parseHours(text);
    expect(hours && formatHours(hours)).toBe(text);
  });

  it.each([
    '',
    '8-22',
    '08:00',
    '08:00-08:00',
    '24:00-06:00',
    '25:00-26:00',
    '08:00-22:00-23:00',
    '08:61-09:00',
    '24:30-25:00',
  ])('rejects "%s"', (text) => {
    expect(parseHours(text)).toBeUndefined();
  });

  it('finds the next allowed time today or tomorrow', () => {
    const hours = { from: 8 * 60, to: 22 * 60 };
    expect(nextWithin(hours, at(16, 12))).toBe(at(16, 12));
    expect(nextWithin(hours, at(16, 8))).toBe(at(16, 8));
    expect(nextWithin(hours, at(16, 7, 59))).toBe(at(16, 8));
    expect(nextWithin(hours, at(16, 22))).toBe(at(17, 8));
    expect(nextWithin(null, at(16, 3))).toBe(at(16, 3));
  });

  it('supports a range over midnight', () => {
    const night = { from: 22 * 60, to: 6 * 60 };
    for (const time of [at(16, 22), at(16, 23, 59), at(17, 0), at(17, 5, 59)])
      expect(nextWithin(night, time)).toBe(time);
    expect(nextWithin(night, at(17, 6))).toBe(at(17, 22));
    expect(nextWithin(night, at(17, 21, 59))).toBe(at(17, 22));
  });
});

describe('day', () => {
  it('uses the local time zone and ends at midnight', () => {
    expect(dayOf(at(16, 23, 59))).toBe('2026-11-16');
    expect(startOfNextDay(at(16, 23, 59))).toBe(at(17, 0));
    expect(startOfNextDay(at(17, 0))).toBe(at(18, 0));
    expect(dayOf(startOfNextDay(at(30, 1)))).toBe('2026-12-01');
  });
});
