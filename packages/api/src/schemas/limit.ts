import { z } from 'zod';
import { TimeSchema } from './common.ts';

/** What a session does when a limit stops its turn: `pause`, or `continue` automatically after the reset. */
export const ON_LIMIT = ['pause', 'continue'] as const;
export const OnLimitSchema = z.enum(ON_LIMIT);
export type OnLimit = z.infer<typeof OnLimitSchema>;

/**
 * `paused`: the user decides. `scheduled`, `outside_hours`, `capped`: continues at `continuesAt`. `continued`: the continuing message
 * is queued. `cancelled`: the user cancelled the continuation. `gave_up`: the reset time is unknown and the retries are used up.
 */
export const LIMIT_STATES = [
  'paused',
  'scheduled',
  'outside_hours',
  'capped',
  'continued',
  'cancelled',
  'gave_up',
] as const;

export const SessionLimitSchema = z.object({
  id: z.string().describe('Unique within the session.'),
  kind: z.enum(['usage', 'budget']).describe('`usage`: a limit of the agent. `budget`: one of yours.'),
  per: z.enum(['session', 'day', 'project']).optional().describe('Scope of a budget.'),
  message: z.string(),
  resetsAt: TimeSchema.nullable().describe('When it resets; null if unknown, or if the user must act.'),
  since: TimeSchema,
  messageId: z.string().nullable().describe('The message whose turn was stopped.'),
  hadOutput: z.boolean().describe('Whether that turn had produced output.'),
  state: z.enum(LIMIT_STATES),
  reason: z.string().nullable().describe('Reason for the state, human-readable.'),
  continuesAt: TimeSchema.nullable().describe('When the session continues automatically.'),
});
export type SessionLimit = z.infer<typeof SessionLimitSchema>;

/** Why queued messages of a session are not sent at the moment. */
export const WaitingForSchema = z.object({
  kind: z.enum(['usage', 'budget']),
  message: z.string(),
  until: TimeSchema.nullable().describe('Null: until the user acts.'),
});
export type WaitingFor = z.infer<typeof WaitingForSchema>;

const Amount = z.number().positive().max(1e12);
export const BudgetSchema = z
  .strictObject({ usd: Amount.optional(), tokens: Amount.optional() })
  .refine(({ usd, tokens }) => usd !== undefined || tokens !== undefined, 'must name usd, tokens or both');
export type Budget = z.infer<typeof BudgetSchema>;

/** A configured budget: per session, per day, or in total per project. */
export const BudgetRuleSchema = z
  .strictObject({
    per: z.enum(['session', 'day', 'project']),
    usd: Amount.optional(),
    tokens: Amount.optional(),
    project: z
      .string()
      .max(4096)
      .regex(/^([/]|[A-Za-z]:[/\\])[^\x00\r\n]*$/, 'must be an absolute path')
      .optional()
      .describe('A folder, including all folders below it.'),
    agent: z.string().min(1).max(100).optional(),
  })
  .refine(({ usd, tokens }) => usd !== undefined || tokens !== undefined, 'must name usd, tokens or both');
export type BudgetRule = z.infer<typeof BudgetRuleSchema>;

export const BudgetStatusSchema = z.object({
  per: z.enum(['session', 'day', 'project']),
  label: z.string().describe('What it covers, human-readable.'),
  agent: z.string().nullable(),
  project: z.string().nullable(),
  sessionId: z.string().nullable(),
  usd: z.number().nullable().describe('Maximum cost; null if cost is not limited.'),
  tokens: z.number().nullable(),
  usedUsd: z.number().describe('Known cost.'),
  estimatedUsd: z.number().describe('Part of it that is estimated from list prices.'),
  unpricedCalls: z.number().describe('Number of calls without a known cost, not included.'),
  usedTokens: z.number().describe('Without cache reads.'),
  exhausted: z.boolean(),
  resetsAt: TimeSchema.nullable().describe('Null: when the user raises it.'),
});
export type BudgetStatus = z.infer<typeof BudgetStatusSchema>;

export const QuotaWindowSchema = z.object({
  window: z.string(),
  usedPercent: z.number().nullable(),
  resetsAt: z.number().nullable(),
  exhausted: z.boolean(),
});

export const AccountQuotaSchema = z.object({
  account: z.string().describe('An agent with a login, as far as it is known without reading credentials.'),
  agent: z.string(),
  limited: z.boolean().describe('The next request would be rejected.'),
  windows: z.array(QuotaWindowSchema),
  earliestResetAt: z.number().nullable(),
  asOf: z.number().describe('When it was reported.'),
  source: z.enum(['stream', 'endpoint']).describe('Reported by the agent in a run, or by the vendor when queried.'),
  pausedUntil: TimeSchema.nullable().describe('Messages are queued until then; null if the account is not paused.'),
});
export type AccountQuota = z.infer<typeof AccountQuotaSchema>;

export const QuotaListSchema = z.object({ accounts: z.array(AccountQuotaSchema) });

export const ContinuationRulesSchema = z.object({
  onLimit: OnLimitSchema.describe('For sessions without their own setting.'),
  hours: z.string().nullable().describe('When sessions may continue automatically, in local time.'),
  maxPerDay: z.int(),
  continuedToday: z.int().describe('Number of automatic continuations today.'),
  staggerMs: z.int().describe('Delay between two sessions of one account.'),
});
