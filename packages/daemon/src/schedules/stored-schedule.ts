import type { Schedule, ScheduleDetail, ScheduleRun } from '@agent-mux/api';
import { ScheduleRunSchema, ScheduleSchema } from '@agent-mux/api/schemas';
import { z } from 'zod';
import { parseCron } from './cron.ts';
import { nextTime } from './next-time.ts';

/** As it is kept: one record, so that a run and the fact that its minute was seen to are written at once or not at all. */
export const StoredScheduleSchema = ScheduleSchema.omit({ nextAt: true, lastRun: true }).extend({
  /** Up to here everything is seen to. */
  seenAt: z.number(),
  /** The newest last. */
  runs: z.array(ScheduleRunSchema),
});
export type StoredSchedule = z.infer<typeof StoredScheduleSchema>;

/** Of each schedule; the oldest are dropped first, and none that is not over. */
export const MOST_RUNS = 50;

export function withRun(schedule: StoredSchedule, run: ScheduleRun): StoredSchedule {
  const others = schedule.runs.filter(({ id }) => id !== run.id);
  const at = schedule.runs.findIndex(({ id }) => id === run.id);
  const runs = at === -1 ? [...others, run] : others.toSpliced(at, 0, run);
  const spare = runs.filter(isOver).slice(0, Math.max(0, runs.length - MOST_RUNS));
  return { ...schedule, runs: runs.filter((each) => !spare.includes(each)) };
}

export function isOver({ state }: ScheduleRun): boolean {
  return state !== 'starting' && state !== 'started';
}

export function showSchedule({ seenAt, runs, ...rest }: StoredSchedule, now: number): Schedule {
  const nextAt = rest.paused ? null : nextTime(parseCron(rest.cron), Math.max(now, seenAt));
  return { ...rest, nextAt, lastRun: runs.at(-1) ?? null };
}

export function showDetail(schedule: StoredSchedule, now: number): ScheduleDetail {
  return { ...showSchedule(schedule, now), runs: schedule.runs.toReversed() };
}
