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
