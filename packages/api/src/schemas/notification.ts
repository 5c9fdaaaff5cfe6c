import { z } from 'zod';
import { FaultSchema, IdSchema, LimitSchema, LineSchema, TimeSchema } from './common.ts';

/**
 * `idle`: a turn is over. `failed`: a turn or the session ended with an error. `exited`: the session ended without one. `summary`:
 * what came in quiet hours.
 */
export const NOTIFIED_STATES = ['blocked', 'waiting_input', 'limited', 'failed', 'exited', 'idle'] as const;

/**
 * `waiting`: it will be sent, or tried again. `held`: until the quiet hours are over. `unknown`: it was being sent when the daemon
 * died, and is not sent twice. `dropped`: nobody needs it any more; `error` says why.
 */
export const NotificationSchema = z.object({
  id: IdSchema.describe('The same for every attempt: a receiver knows by it what it has seen.'),
  target: z.string(),
  state: z.enum([...NOTIFIED_STATES, 'summary', 'test']),
  sessionId: IdSchema.nullable(),
  requestId: IdSchema.nullable(),
  title: z.string(),
  text: z.string(),
  createdAt: TimeSchema,
  outcome: z.enum(['waiting', 'held', 'sending', 'sent', 'failed', 'unknown', 'dropped']),
  attempts: z.int(),
  nextAt: TimeSchema.nullable().describe('When it is tried next.'),
  endedAt: TimeSchema.nullable(),
  error: FaultSchema.nullable(),
});
export type Notification = z.infer<typeof NotificationSchema>;

export const NotifyTargetSchema = z.object({
  name: z.string(),
  type: z.enum(['desktop', 'webhook', 'command']),
  place: z.string().describe('The host of a webhook, the program of a command.'),
});
export type NotifyTarget = z.infer<typeof NotifyTargetSchema>;

const NamesSchema = (max: number) => z.array(z.string().min(1).max(max)).min(1);

/** Which news go where. A field that is left out holds for everything. */
export const NotifyRuleSchema = z.strictObject({
  when: z
    .array(z.enum(NOTIFIED_STATES))
    .min(1)
    .optional()
    .describe('Default: blocked, waiting_input, limited, failed.'),
  agents: NamesSchema(100).optional(),
  projects: NamesSchema(4096).optional().describe('Folders with all that is below them, or the name of a folder.'),
  to: NamesSchema(40).describe('Names of targets; `desktop` needs no entry.'),
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
  notifications: z.array(NotificationSchema).describe('The newest first.'),
  problems: z.array(z.string()).describe('What is wrong in the configuration.'),
});
export type NotificationList = z.infer<typeof NotificationListSchema>;

export const TestNotificationSchema = z.strictObject({
  target: LineSchema(100).optional().describe('Default: each that there is.'),
});
