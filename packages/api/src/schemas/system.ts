import { z } from 'zod';
import { IdSchema, LimitSchema, LineSchema, TimeSchema } from './common.ts';

export const HealthSchema = z.object({
  status: z.literal('ok'),
  version: z.string(),
  pid: z.int(),
  startedAt: TimeSchema,
});
export type Health = z.infer<typeof HealthSchema>;

export const ReadySchema = z.object({ ready: z.boolean(), waitingFor: z.array(z.string()) });
export type Ready = z.infer<typeof ReadySchema>;

/** A day in the machine's time zone. */
const DaySchema = z.string().regex(/^\d{4}-\d{2}-\d{2}$/, 'must be a day such as 2026-01-31');

export const UsageQuerySchema = z.strictObject({
  by: z.enum(['day', 'agent', 'model', 'project', 'session']).default('day'),
  from: DaySchema.optional(),
  to: DaySchema.optional().describe('Inclusive.'),
  agent: LineSchema(100).optional(),
  project: z.string().max(4096).optional(),
  sessionId: IdSchema.optional(),
});

export const UsageRowSchema = z.object({
  key: z.string(),
  inputTokens: z.number(),
  outputTokens: z.number(),
  cacheReadTokens: z.number(),
  cacheCreationTokens: z.number(),
  costUsd: z.number().describe('Known cost.'),
  estimatedUsd: z.number().describe('Part of it that is estimated from list prices.'),
  unpricedCalls: z.number().describe('Number of calls without a known cost.'),
});

export const AuditQuerySchema = z.strictObject({
  sessionId: IdSchema.optional(),
  after: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional().describe('Id of an entry.'),
  before: z.coerce
    .number()
    .int()
    .min(0)
    .max(Number.MAX_SAFE_INTEGER)
    .optional()
    .describe('Id of an entry: returns the newest entries before it.'),
  limit: LimitSchema,
});

export const AuditEntrySchema = z.object({
  id: z.int(),
  timestamp: TimeSchema,
  actor: z.string(),
  action: z.string(),
  sessionId: z.string().nullable(),
  detail: z.record(z.string(), z.unknown()),
});

export const LoginLinkSchema = z.object({
  url: z.string().describe('For a browser. Works once.'),
  expiresAt: TimeSchema,
  page: z.string().optional().describe('Path of a page with the link; removed when the link is used or expired.'),
});

export const BrowserSchema = z.object({
  id: IdSchema,
  name: z.string().describe('Name the browser gave itself.'),
  createdAt: TimeSchema,
  lastSeenAt: TimeSchema,
  expiresAt: TimeSchema,
  current: z.boolean().describe('The browser of this request.'),
});
export type Browser = z.infer<typeof BrowserSchema>;
