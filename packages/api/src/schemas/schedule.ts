import { z } from 'zod';
import { ErrorInfoSchema, IdSchema, LineSchema, TimeSchema } from './common.ts';
import { NewSessionSchema } from './session.ts';

/** The session started by a run: the body of `POST /sessions` without one-time fields. */
export const ScheduledSessionSchema = NewSessionSchema.omit({
  id: true,
  messageId: true,
  env: true,
  hostEnv: true,
  files: true,
});
export type ScheduledSession = z.infer<typeof ScheduledSessionSchema>;

const CronSchema = LineSchema(200)
  .min(9)
  .describe("Five fields: minute, hour, day of month, month, day of week; in the machine's time zone.")
  .meta({ format: 'cron' });
const MissedSchema = z
  .enum(['run', 'skip'])
  .describe('Runs missed while the daemon was down: `run` runs once when it is back, `skip` does not.');
const OverlapSchema = z
  .enum(['skip', 'allow'])
  .describe('While the session of an earlier run is still running: `skip` skips this one.');

/**
 * `starting`: its session is being created. `started`: it is running or waiting. `completed`: its turn has ended. `skipped`: it was
 * missed, or an earlier one was still running.
 */
export const ScheduleRunSchema = z.object({
  id: IdSchema,
  dueAt: TimeSchema,
  startedAt: TimeSchema,
  endedAt: TimeSchema.nullable(),
  state: z.enum(['starting', 'started', 'completed', 'failed', 'skipped']),
  by: z.string().describe('The schedule, or the caller who requested it.'),
  sessionId: IdSchema.nullable(),
  activity: z.string().nullable().describe('Activity of the session when it ended; `removed` if it was deleted.'),
  error: ErrorInfoSchema.nullable(),
});
export type ScheduleRun = z.infer<typeof ScheduleRunSchema>;

const EnvNameSchema = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,199}$/, 'must be the name of a variable');

export const ScheduleSchema = z.object({
  id: IdSchema,
  cron: CronSchema,
  missed: MissedSchema,
  overlap: OverlapSchema,
  paused: z.boolean(),
  session: ScheduledSessionSchema,
  envNames: z.array(EnvNameSchema).describe("Variables of the daemon's environment passed to the agent."),
  by: z.string().describe('Who created it.'),
  createdAt: TimeSchema,
  updatedAt: TimeSchema,
  nextRunAt: TimeSchema.nullable().describe('Null if paused, or if it never runs again.'),
  lastRun: ScheduleRunSchema.nullable(),
});
export type Schedule = z.infer<typeof ScheduleSchema>;

export const ScheduleDetailSchema = ScheduleSchema.extend({
  runs: z.array(ScheduleRunSchema).describe('Newest first; the oldest are dropped.'),
});
export type ScheduleDetail = z.infer<typeof ScheduleDetailSchema>;

export const NewScheduleSchema = z.strictObject({
  cron: CronSchema,
  missed: MissedSchema.default('skip'),
  overlap: OverlapSchema.default('skip'),
  session: ScheduledSessionSchema,
  envNames: z.array(EnvNameSchema).max(100).default([]).describe('Names only: values are read when it runs.'),
});
export type NewSchedule = z.input<typeof NewScheduleSchema>;

export const SchedulePatchSchema = z.strictObject({
  cron: CronSchema.optional(),
  missed: MissedSchema.optional(),
  overlap: OverlapSchema.optional(),
  paused: z.boolean().optional(),
});
export type SchedulePatch = z.infer<typeof SchedulePatchSchema>;
