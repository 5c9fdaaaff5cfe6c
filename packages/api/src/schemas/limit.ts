import { z } from 'zod';
import { TimeSchema } from './common.ts';

/** What becomes of a session when a limit has stopped its turn: it stays, or goes on by itself when the limit is lifted. */
export const ON_LIMIT = ['stop', 'wait'] as const;
export const OnLimitSchema = z.enum(ON_LIMIT);
export type OnLimit = z.infer<typeof OnLimitSchema>;

/**
 * `stopped`: a person decides. `waits`, `outside_hours`, `capped`: goes on by itself at `continuesAt`. `continued`: the message that
 * goes on is queued. `cancelled`: somebody did not want it to. `gave_up`: nobody knows when the limit is lifted, and enough was tried.
 */
export const LIMIT_STATES = [
  'stopped',
  'waits',
  'outside_hours',
  'capped',
  'continued',
  'cancelled',
  'gave_up',
] as const;

export const SessionLimitSchema = z.object({
  id: z.string().describe('Of this limit, within the session.'),
  kind: z.enum(['usage', 'budget']).describe("`usage`: the agent's own. `budget`: one of yours."),
  per: z.enum(['session', 'day', 'project']).optional().describe('Of a budget: whose it is.'),
  message: z.string(),
  resetsAt: TimeSchema.nullable().describe('When it is lifted; null: nobody knows, or somebody has to.'),
  since: TimeSchema,
  messageId: z.string().nullable().describe('The message whose turn it stopped.'),
  showed: z.boolean().describe('That turn had shown something before.'),
  state: z.enum(LIMIT_STATES),
  reason: z.string().nullable().describe('Why it is in this state, in words.'),
  continuesAt: TimeSchema.nullable().describe('When the session goes on by itself.'),
});
export type SessionLimit = z.infer<typeof SessionLimitSchema>;

/** Why nothing is sent to a session at the moment, although something is queued. */
export const WaitsForSchema = z.object({
  kind: z.enum(['usage', 'budget']),
  message: z.string(),
  until: TimeSchema.nullable().describe('Null: until somebody acts.'),
});
export type WaitsFor = z.infer<typeof WaitsForSchema>;

const Amount = z.number().positive().max(1e12);
export const BudgetSchema = z
  .strictObject({ usd: Amount.optional(), tokens: Amount.optional() })
  .refine(({ usd, tokens }) => usd !== undefined || tokens !== undefined, 'must name usd, tokens or both');
export type Budget = z.infer<typeof BudgetSchema>;

/** One of the configuration: what each session, all of a day, or a project for ever may use. */
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
      .describe('A folder with all that is below it.'),
    agent: z.string().min(1).max(100).optional(),
  })
  .refine(({ usd, tokens }) => usd !== undefined || tokens !== undefined, 'must name usd, tokens or both');
export type BudgetRule = z.infer<typeof BudgetRuleSchema>;

export const BudgetStatusSchema = z.object({
  per: z.enum(['session', 'day', 'project']),
  of: z.string().describe('What it covers, in words.'),
  agent: z.string().nullable(),
  project: z.string().nullable(),
  sessionId: z.string().nullable(),
  usd: z.number().nullable().describe('So much may be used; null: not counted in money.'),
  tokens: z.number().nullable(),
  usedUsd: z.number().describe('Of what is known.'),
  estimatedUsd: z.number().describe('So much of it is estimated from list prices.'),
  unknownCosts: z.number().describe('So many calls had no known cost, and are not in it.'),
  usedTokens: z.number().describe('Without what was read from a cache.'),
  spent: z.boolean(),
  liftsAt: TimeSchema.nullable().describe('Null: when somebody raises it.'),
});
export type BudgetStatus = z.infer<typeof BudgetStatusSchema>;

export const QuotaWindowSchema = z.object({
  window: z.string(),
  usedPercent: z.number().nullable(),
  resetsAt: z.number().nullable(),
  exhausted: z.boolean(),
});

export const AccountQuotaSchema = z.object({
  account: z.string().describe('An agent with a login, as far as it can be told without reading one.'),
  agent: z.string(),
  limited: z.boolean().describe('The next request would be refused.'),
  windows: z.array(QuotaWindowSchema),
  earliestResetAt: z.number().nullable(),
  asOf: z.number().describe('When it was told.'),
  source: z.enum(['stream', 'endpoint']).describe('By the agent in a run, or by the vendor when it was asked.'),
  pausedUntil: TimeSchema.nullable().describe('Nothing is sent to this account before; null: it is open.'),
});
export type AccountQuota = z.infer<typeof AccountQuotaSchema>;

export const QuotaListSchema = z.object({ accounts: z.array(AccountQuotaSchema) });

export const ContinuationRulesSchema = z.object({
  onLimit: OnLimitSchema.describe('For sessions that say nothing else.'),
  hours: z.string().nullable().describe('When sessions may go on by themselves, by the clock of this machine.'),
  maxPerDay: z.int(),
  today: z.int().describe('So often a session has gone on by itself today.'),
  staggerMs: z.int().describe('Between two sessions of one account.'),
});
