import type { Schedule, ScheduleDetail, ScheduleRun } from '@agent-mux/api';
import { ScheduleRunSchema, ScheduleSchema } from '@agent-mux/api/schemas';
import { z } from 'zod';
import { parseCron } from './cron.ts';
import { nextTime } from './next-time.ts';

/** The stored form: one record, so that a run and the handled time are written atomically. */
export const StoredScheduleSchema = ScheduleSchema.omit({ nextRunAt: true, lastRun: true }).extend({
  /** Everything up to here is handled. */
  seenAt: z.number(),
  /** Newest last. */
  runs: z.array(ScheduleRunSchema),
});
export type StoredSchedule = z.infer<typeof StoredScheduleSchema>;

/** Maximum number of runs per schedule. The oldest finished runs are deleted first. */
export const MAX_RUNS = 50;

export function withRun(schedule: StoredSchedule, run: ScheduleRun): StoredSchedule {
  const others = schedule.runs.filter(({ id }) => id !== run.id);
  const at = schedule.runs.findIndex(({ id }) => id === run.id);
  const runs = at === -1 ? [...others, run] : others.toSpliced(at, 0, run);
  const spare = runs.filter(isOver).slice(0, Math.max(0, runs.length - MAX_RUNS));
  return { ...schedule, runs: runs.filter((each) => !spare.includes(each)) };
}

export function isOver({ state }: ScheduleRun): boolean {
  return state !== 'starting' && state !== 'started';
}

export function showSchedule({ seenAt, runs, ...rest }: StoredSchedule, now: number): Schedule {
  const nextRunAt = rest.paused ? null : nextTime(parseCron(rest.cron), Math.max(now, seenAt));
  return { ...rest, nextRunAt, lastRun: runs.at(-1) ?? null };
}

export function showDetail(schedule: StoredSchedule, now: number): ScheduleDetail {
  return { ...showSchedule(schedule, now), runs: schedule.runs.toReversed() };
}
