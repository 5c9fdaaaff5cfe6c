import { z } from 'zod';
import { AgentNameSchema } from './agent.ts';
import { IdSchema, TimeSchema } from './common.ts';

export const JobActionSchema = z.enum(['install', 'update', 'verify']);

export const ProofCaseSchema = z.object({
  mode: z.string().nullable(),
  case: z.string().nullable(),
  title: z.string().describe('A sentence of behaviour.'),
});
export type ProofCase = z.infer<typeof ProofCaseSchema>;

/** What was tried with the CLI that is installed, and what came of it. */
export const ProofSchema = ProofCaseSchema.extend({
  status: z.enum(['passed', 'failed', 'skipped']),
  detail: z.string().optional(),
  durationMs: z.number(),
});
export type Proof = z.infer<typeof ProofSchema>;

export const AgentPlanSchema = z.object({
  agent: z.string(),
  action: JobActionSchema,
  method: z.string().describe('The program that does it: npm, brew, ...'),
  commands: z.array(z.string()).describe('Exactly what is run, in this order.'),
  notes: z.string().optional(),
  cases: z.array(ProofCaseSchema).describe('Of `verify`: what would be tried, in this order.'),
});
export type AgentPlan = z.infer<typeof AgentPlanSchema>;

export const AgentPlanQuerySchema = z.strictObject({ action: JobActionSchema.default('install') });

export const NewJobSchema = z.strictObject({
  commands: z
    .array(z.string().max(10_000))
    .max(100)
    .describe('Of the plan that was shown: where they are others by now, nothing is run.'),
});

/** An agent that is being installed, updated or verified. The newest are kept, and of each agent what it was verified with last. */
export const JobSchema = z.object({
  id: IdSchema,
  agent: z.string(),
  action: JobActionSchema,
  commands: z.array(z.string()),
  by: z.string(),
  state: z
    .enum(['running', 'done', 'failed', 'lost'])
    .describe('`lost`: the daemon has ended before it did. What it had done by then stays.'),
  startedAt: TimeSchema,
  endedAt: TimeSchema.nullable(),
  message: z.string().nullable().describe('What came of it.'),
  remedy: z.string().nullable().describe('What is left for a person to do.'),
  version: z.string().nullable().describe('That is installed now.'),
  cases: z.int().describe('Of `verify`: how many are tried.'),
  proofs: z.array(ProofSchema).describe('Of `verify`: what came of each, as far as it has got.'),
  lines: z.array(z.string()).describe('What the installer printed, after the number that was asked for.'),
  last: z.int().describe('The number of the last line, to go on from. The oldest of very many lines are dropped.'),
});
export type Job = z.infer<typeof JobSchema>;

export const JobQuerySchema = z.strictObject({
  after: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).default(0).describe('The number of a line.'),
});

export const JobParams = z.object({ id: IdSchema });
export const JobAgentParams = z.object({ agent: AgentNameSchema });
