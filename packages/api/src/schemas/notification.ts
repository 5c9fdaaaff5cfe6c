import { z } from 'zod';
import { ErrorInfoSchema, IdSchema, LimitSchema, LineSchema, TimeSchema } from './common.ts';

/**
 * `idle`: a turn has ended. `failed`: a turn or the session ended with an error. `exited`: the session ended without one. `summary`:
 * notifications held in quiet hours.
 */
export const NOTIFICATION_STATES = ['blocked', 'waiting_input', 'limited', 'failed', 'exited', 'idle'] as const;

/**
 * `pending`: will be sent or retried. `held`: until the quiet hours end. `unknown`: it was being sent when the daemon died, and is
 * not sent again. `dropped`: no longer needed; `error` says why.
 */
export const NotificationSchema = z.object({
  id: IdSchema.describe('The same for every attempt, so that receivers can deduplicate.'),
  target: z.string(),
  state: z.enum([...NOTIFICATION_STATES, 'summary', 'test']),
  sessionId: IdSchema.nullable(),
  requestId: IdSchema.nullable(),
  title: z.string(),
  text: z.string(),
  createdAt: TimeSchema,
  outcome: z.enum(['pending', 'held', 'sending', 'sent', 'failed', 'unknown', 'dropped']),
  attempts: z.int(),
  nextAttemptAt: TimeSchema.nullable().describe('Time of the next attempt.'),
  endedAt: TimeSchema.nullable(),
  error: ErrorInfoSchema.nullable(),
});
export type Notification = z.infer<typeof NotificationSchema>;

export const NotifyTargetSchema = z.object({
  name: z.string(),
  type: z.enum(['desktop', 'webhook', 'command']),
  destination: z.string().describe('Host of a webhook, program of a command.'),
});
export type NotifyTarget = z.infer<typeof NotifyTargetSchema>;

const NamesSchema = (max: number) => z.array(z.string().min(1).max(max)).min(1);

/** Which notifications go where. An omitted field matches everything. */
export const NotifyRuleSchema = z.strictObject({
  when: z
    .array(z.enum(NOTIFICATION_STATES))
    .min(1)
    .optional()
    .describe('Default: blocked, waiting_input, limited, failed.'),
  agents: NamesSchema(100).optional(),
  projects: NamesSchema(4096).optional().describe('Folders, including all folders below them, or folder names.'),
  to: NamesSchema(40).describe('Target names; `desktop` needs no entry.'),
  quietHours: z
    .string()
    .regex(/^([01]?\d|2[0-3]):[0-5]\d ?- ?([01]?\d|2[0-3]):[0-5]\d$/, 'must be two times of day such as "22:00-07:00"')
    .optional(),
  inQuietHours: z.enum(['hold', 'drop']).optional(),
});
export type NotifyRule = z.infer<typeof NotifyRuleSchema>;

export const NotificationQuerySchema = z.strictObject({ limit: LimitSchema });

export const NotificationListSchema = z.object({
  targets: z.array(NotifyTargetSchema),
  notifications: z.array(NotificationSchema).describe('Newest first.'),
  problems: z.array(z.string()).describe('Configuration issues.'),
});
export type NotificationList = z.infer<typeof NotificationListSchema>;

export const TestNotificationSchema = z.strictObject({
  target: LineSchema(100).optional().describe('Default: all targets.'),
});
