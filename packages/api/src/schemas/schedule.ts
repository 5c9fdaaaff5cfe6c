import { z } from 'zod';
import { FaultSchema, IdSchema, LineSchema, TimeSchema } from './common.ts';
import { NewSessionSchema } from './session.ts';

/** What a run of it begins: as `POST /sessions` takes it, without what belongs to one moment. */
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
  .describe("Five fields: minute, hour, day of the month, month, day of the week; in the machine's own time zone.")
  .meta({ format: 'cron' });
const MissedSchema = z
  .enum(['run', 'skip'])
  .describe('What was missed while the daemon was off: `run` does it once when it is back, `skip` does not.');
const OverlapSchema = z
  .enum(['skip', 'allow'])
  .describe('While the session of an earlier run is still at work: `skip` leaves this one out.');

/**
 * `starting`: its session is being made. `started`: it is at work, or waits for somebody. `done`: its turn is over. `skipped`: it
 * was missed, or another was still at work.
 */
export const ScheduleRunSchema = z.object({
  id: IdSchema,
  dueAt: TimeSchema,
  startedAt: TimeSchema,
  endedAt: TimeSchema.nullable(),
  state: z.enum(['starting', 'started', 'done', 'failed', 'skipped']),
  by: z.string().describe('The schedule itself, or who asked for it.'),
  sessionId: IdSchema.nullable(),
  activity: z.string().nullable().describe('Of the session when it was over; `removed` where it is gone.'),
  error: FaultSchema.nullable(),
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
  envNames: z.array(EnvNameSchema).describe("Variables of the daemon's own environment that the agent gets."),
  by: z.string().describe('Who made it.'),
  createdAt: TimeSchema,
  updatedAt: TimeSchema,
  nextAt: TimeSchema.nullable().describe('Null: it is paused, or never comes again.'),
  lastRun: ScheduleRunSchema.nullable(),
});
export type Schedule = z.infer<typeof ScheduleSchema>;

export const ScheduleDetailSchema = ScheduleSchema.extend({
  runs: z.array(ScheduleRunSchema).describe('The newest first; the oldest are dropped.'),
});
export type ScheduleDetail = z.infer<typeof ScheduleDetailSchema>;

export const NewScheduleSchema = z.strictObject({
  cron: CronSchema,
  missed: MissedSchema.default('skip'),
  overlap: OverlapSchema.default('skip'),
  session: ScheduledSessionSchema,
  envNames: z.array(EnvNameSchema).max(100).default([]).describe('Only names: values are taken when it runs.'),
});
export type NewSchedule = z.input<typeof NewScheduleSchema>;

export const SchedulePatchSchema = z.strictObject({
  cron: CronSchema.optional(),
  missed: MissedSchema.optional(),
  overlap: OverlapSchema.optional(),
  paused: z.boolean().optional(),
});
export type SchedulePatch = z.infer<typeof SchedulePatchSchema>;
