import { z } from 'zod';
import { IdSchema, TimeSchema } from './common.ts';
import { RememberSchema } from './policy.ts';

/** An approval or a question that waits for an answer. It outlives processes. */
export const RequestSchema = z.object({
  id: IdSchema,
  sessionId: IdSchema,
  agent: z.string(),
  launch: z.int(),
  requestId: z.string().describe("The agent's own id, unique within a launch at most."),
  kind: z.enum(['approval', 'question']),
  event: z.record(z.string(), z.unknown()).describe('The event `approval_request` or `input_required`, whole.'),
  state: z.enum(['open', 'answered', 'expired', 'cancelled']),
  outcome: z.enum(['allowed', 'denied', 'answered', 'declined', 'cancelled']).nullable(),
  by: z.string().nullable().describe('Who answered: a person, a rule, a limit of time, the agent.'),
  answer: z.record(z.string(), z.unknown()).nullable(),
  laterUntil: TimeSchema.nullable(),
  createdAt: TimeSchema,
  resolvedAt: TimeSchema.nullable(),
  rev: z.int(),
});
export type Request = z.infer<typeof RequestSchema>;

export const AnswerSchema = z.discriminatedUnion('decision', [
  z.strictObject({
    decision: z.literal('allow'),
    optionId: z.string().max(500).optional(),
    updatedInput: z.unknown().optional(),
    remember: RememberSchema.optional().describe('The next time too: where, and for what.'),
  }),
  z.strictObject({
    decision: z.literal('deny'),
    optionId: z.string().max(500).optional(),
    message: z.string().max(10_000).optional(),
    remember: RememberSchema.optional().describe('The next time too: where, and for what.'),
  }),
  z.strictObject({
    decision: z.literal('answer'),
    answers: z.record(z.string(), z.array(z.string().max(100_000))),
  }),
  z.strictObject({ decision: z.literal('decline') }),
]);
export type Answer = z.infer<typeof AnswerSchema>;

export const LaterSchema = z.strictObject({
  until: TimeSchema.optional().describe('Default: in an hour.'),
});
