import { z } from 'zod';
import { FaultSchema, IdSchema, MessageIdSchema, TimeSchema } from './common.ts';

/**
 * `queued`: waits for its turn. `accepted`: journaled by the keeper, and on its way to the agent. `done`: its turn has ended.
 * `unknown`: accepted when its keeper died; whether the agent got it is not known, and it is never sent again in silence.
 * `dismissed`: one that has failed, or of unknown fate, and somebody has seen to it.
 */
export const MESSAGE_STATES = ['queued', 'accepted', 'done', 'failed', 'cancelled', 'unknown', 'dismissed'] as const;

export const MessageSchema = z.object({
  id: MessageIdSchema,
  sessionId: IdSchema,
  text: z.string(),
  files: z.array(IdSchema),
  mode: z.enum(['queue', 'steer', 'reject']),
  state: z.enum(MESSAGE_STATES),
  error: FaultSchema.nullable(),
  by: z.string().describe('Who sent it: a name of a token, a browser, a schedule.'),
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
    .describe('While a turn runs: wait for its end, go into it, or be refused.'),
  files: z.array(IdSchema).max(100).default([]),
  env: z.record(z.string(), z.string()).optional().describe('Values of variables that the session needs to come back.'),
});
export type NewMessage = z.input<typeof NewMessageSchema>;
