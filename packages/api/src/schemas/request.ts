import { z } from 'zod';
import { IdSchema, TimeSchema } from './common.ts';
import { RememberSchema } from './policy.ts';

/** An approval or a question that waits for an answer. It outlives processes. */
export const RequestSchema = z.object({
  id: IdSchema,
  sessionId: IdSchema,
  agent: z.string(),
  launch: z.int(),
  agentRequestId: z.string().describe("The agent's request id, unique only within a launch."),
  kind: z.enum(['approval', 'question']),
  event: z.record(z.string(), z.unknown()).describe('The complete event `approval_request` or `input_required`.'),
  state: z.enum(['open', 'answered', 'expired', 'cancelled']),
  outcome: z.enum(['allowed', 'denied', 'answered', 'declined', 'cancelled']).nullable(),
  by: z.string().nullable().describe('Who answered: a person, a rule, a timeout or the agent.'),
  answer: z.record(z.string(), z.unknown()).nullable(),
  snoozedUntil: TimeSchema.nullable(),
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
    remember: RememberSchema.optional().describe('Remember the answer: scope and pattern.'),
  }),
  z.strictObject({
    decision: z.literal('deny'),
    optionId: z.string().max(500).optional(),
    message: z.string().max(10_000).optional(),
    remember: RememberSchema.optional().describe('Remember the answer: scope and pattern.'),
  }),
  z.strictObject({
    decision: z.literal('answer'),
    answers: z.record(z.string(), z.array(z.string().max(100_000))),
  }),
  z.strictObject({ decision: z.literal('decline') }),
]);
export type Answer = z.infer<typeof AnswerSchema>;

export const SnoozeSchema = z.strictObject({
  until: TimeSchema.optional().describe('Default: in an hour.'),
});
