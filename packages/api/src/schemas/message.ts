import { z } from 'zod';
import { ErrorInfoSchema, IdSchema, MessageIdSchema, TimeSchema } from './common.ts';

/**
 * `queued`: waits for its turn. `accepted`: in the keeper's journal, on its way to the agent. `completed`: its turn has ended.
 * `unknown`: accepted when its keeper died; delivery is unknown, and it is never resent silently. `dismissed`: a failed or unknown
 * message the user has dealt with.
 */
export const MESSAGE_STATES = [
  'queued',
  'accepted',
  'completed',
  'failed',
  'cancelled',
  'unknown',
  'dismissed',
] as const;

export const MessageSchema = z.object({
  id: MessageIdSchema,
  sessionId: IdSchema,
  text: z.string(),
  files: z.array(IdSchema),
  mode: z.enum(['queue', 'steer', 'reject']),
  state: z.enum(MESSAGE_STATES),
  error: ErrorInfoSchema.nullable(),
  by: z.string().describe('Sender: the name of a token, a browser or a schedule.'),
  createdAt: TimeSchema,
  acceptedAt: TimeSchema.nullable(),
  endedAt: TimeSchema.nullable(),
  rev: z.int(),
});
export type Message = z.infer<typeof MessageSchema>;

export const NewMessageSchema = z.strictObject({
  id: MessageIdSchema.optional(),
  text: z.string().max(10_000_000),
  mode: z
    .enum(['queue', 'steer', 'reject'])
    .default('queue')
    .describe('While a turn runs: queue the message, steer the turn, or reject the message.'),
  files: z.array(IdSchema).max(100).default([]),
  env: z.record(z.string(), z.string()).optional().describe('Values of variables the session needs to resume.'),
});
export type NewMessage = z.input<typeof NewMessageSchema>;
