import { z } from 'zod';
import { IdSchema, LimitSchema, LineSchema, TimeSchema } from './common.ts';

export const HealthSchema = z.object({
  status: z.literal('ok'),
  version: z.string(),
  pid: z.int(),
  startedAt: TimeSchema,
});
export type Health = z.infer<typeof HealthSchema>;

export const ReadySchema = z.object({ ready: z.boolean(), waitsFor: z.array(z.string()) });
export type Ready = z.infer<typeof ReadySchema>;

/** A day of the machine's own time zone. */
const DaySchema = z.string().regex(/^\d{4}-\d{2}-\d{2}$/, 'must be a day such as 2026-01-31');

export const UsageQuerySchema = z.strictObject({
  by: z.enum(['day', 'agent', 'model', 'project', 'session']).default('day'),
  from: DaySchema.optional(),
  to: DaySchema.optional().describe('With this day.'),
  agent: LineSchema(100).optional(),
  project: z.string().max(4096).optional(),
  session: IdSchema.optional(),
});

export const UsageRowSchema = z.object({
  key: z.string(),
  inputTokens: z.number(),
  outputTokens: z.number(),
  cacheReadTokens: z.number(),
  cacheCreationTokens: z.number(),
  costUsd: z.number().describe('Of what is known.'),
  estimatedUsd: z.number().describe('So much of it is estimated from list prices.'),
  unknownCosts: z.number().describe('So many calls had no known cost.'),
});

export const AuditQuerySchema = z.strictObject({
  session: IdSchema.optional(),
  after: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional().describe('The id of an entry.'),
  before: z.coerce
    .number()
    .int()
    .min(0)
    .max(Number.MAX_SAFE_INTEGER)
    .optional()
    .describe('The id of an entry: the newest of those before it.'),
  limit: LimitSchema,
});

export const AuditEntrySchema = z.object({
  id: z.int(),
  time: TimeSchema,
  who: z.string(),
  action: z.string(),
  sessionId: z.string().nullable(),
  detail: z.record(z.string(), z.unknown()),
});

export const LoginLinkSchema = z.object({
  url: z.string().describe('For a browser. It works once.'),
  expiresAt: TimeSchema,
  page: z
    .string()
    .optional()
    .describe('The path of a page that leads there; removed when the link was used or is too old.'),
});

export const BrowserSchema = z.object({
  id: IdSchema,
  name: z.string().describe('As it called itself.'),
  createdAt: TimeSchema,
  lastSeenAt: TimeSchema,
  expiresAt: TimeSchema,
  current: z.boolean().describe('The one that asks.'),
});
export type Browser = z.infer<typeof BrowserSchema>;
