import { z } from 'zod';

/** Milliseconds since the epoch. */
export const TimeSchema = z.int().min(0).describe('Milliseconds since the epoch.');

/** Of sessions, requests and browsers: letters and digits, so that they need no quoting anywhere. */
export const IdSchema = z.string().regex(/^[a-z0-9]{1,40}$/);

/** Of a message: the sender's own, so that sending twice is sending once. */
export const MessageIdSchema = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,100}$/)
  .describe('Chosen by the sender: the same id again changes nothing.');

/** No control characters: what is shown on a terminal or becomes a header stays one line. */
export const LineSchema = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[^\x00-\x1f\x7f]*$/, 'must be one line without control characters');

export const PathSchema = z
  .string()
  .min(1)
  .max(4096)
  .regex(/^[^\x00\r\n]*$/, 'must be one line');

export const FaultSchema = z.object({
  code: z.string(),
  message: z.string(),
  hint: z.string().optional(),
});
export type Fault = z.infer<typeof FaultSchema>;

/** RFC 9457. `code` is stable; `detail` says what, `hint` what to do. */
export const ProblemSchema = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: z.string(),
  hint: z.string().optional(),
  issues: z.array(z.object({ field: z.string(), problem: z.string() })).optional(),
});
export type Problem = z.infer<typeof ProblemSchema>;

export const UsageSchema = z.object({
  inputTokens: z.number().nullable(),
  outputTokens: z.number().nullable(),
  cacheReadTokens: z.number().nullable(),
  cacheCreationTokens: z.number().nullable(),
  totalTokens: z.number().nullable(),
});

/** Pages are asked for with the cursor of the one before; null: that was the last. */
export const CursorSchema = z.string().max(200).nullable();
export const LimitSchema = z.coerce.number().int().min(1).max(500).default(100);

/** In an address. */
export const FlagSchema = z.enum(['true', 'false']).transform((text) => text === 'true');
