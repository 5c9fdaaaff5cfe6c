import { z } from 'zod';
import { AgentNameSchema } from './agent.ts';
import { IdSchema, TimeSchema } from './common.ts';

export const JobActionSchema = z.enum(['install', 'update', 'verify']);

export const VerifyCaseSchema = z.object({
  mode: z.string().nullable(),
  case: z.string().nullable(),
  title: z.string().describe('The verified behavior, in one sentence.'),
});
export type VerifyCase = z.infer<typeof VerifyCaseSchema>;

/** The result of one verification case against the installed CLI. */
export const VerifyResultSchema = VerifyCaseSchema.extend({
  status: z.enum(['passed', 'failed', 'skipped']),
  detail: z.string().optional(),
  durationMs: z.number(),
});
export type VerifyResult = z.infer<typeof VerifyResultSchema>;

export const AgentPlanSchema = z.object({
  agent: z.string(),
  action: JobActionSchema,
  method: z.string().describe('The program that runs it: npm, brew, ...'),
  commands: z.array(z.string()).describe('The exact commands, in order.'),
  notes: z.string().optional(),
  cases: z.array(VerifyCaseSchema).describe('With `verify`: the cases to run, in order.'),
});
export type AgentPlan = z.infer<typeof AgentPlanSchema>;

export const AgentPlanQuerySchema = z.strictObject({ action: JobActionSchema.default('install') });

export const NewJobSchema = z.strictObject({
  commands: z
    .array(z.string().max(10_000))
    .max(100)
    .describe('The commands of the plan that was shown: if they differ by now, nothing is run.'),
});

/** An install, update or verify job. The newest are kept, and per agent its latest verification. */
export const JobSchema = z.object({
  id: IdSchema,
  agent: z.string(),
  action: JobActionSchema,
  commands: z.array(z.string()),
  by: z.string(),
  state: z
    .enum(['running', 'completed', 'failed', 'interrupted'])
    .describe('`interrupted`: the daemon stopped first. What was done by then is kept.'),
  startedAt: TimeSchema,
  endedAt: TimeSchema.nullable(),
  message: z.string().nullable().describe('The outcome.'),
  hint: z.string().nullable().describe('What is left to do manually.'),
  version: z.string().nullable().describe('The version installed now.'),
  caseCount: z.int().describe('With `verify`: number of cases to run.'),
  results: z.array(VerifyResultSchema).describe('With `verify`: results so far.'),
  lines: z.array(z.string()).describe('Output of the installer after the requested line number.'),
  lastLine: z
    .int()
    .describe('Number of the last line; pass it as `after` to continue. The oldest of very many lines are dropped.'),
});
export type Job = z.infer<typeof JobSchema>;

export const JobQuerySchema = z.strictObject({
  after: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).default(0).describe('A line number.'),
});

export const JobParams = z.object({ id: IdSchema });
export const JobAgentParams = z.object({ agent: AgentNameSchema });
