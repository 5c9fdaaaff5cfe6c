import { z } from 'zod';

/** Milliseconds since the epoch. */
export const TimeSchema = z.int().min(0).describe('Milliseconds since the epoch.');

/** Ids of sessions, requests and browsers: letters and digits, so that they need no quoting. */
export const IdSchema = z.string().regex(/^[a-z0-9]{1,40}$/);

/** Message id chosen by the sender, so that sending is idempotent. */
export const MessageIdSchema = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,100}$/)
  .describe('Chosen by the sender: sending the same id again has no effect.');

/** No control characters: the text stays one line on a terminal and in a header. */
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

export const ErrorInfoSchema = z.object({
  code: z.string(),
  message: z.string(),
  hint: z.string().optional(),
});
export type ErrorInfo = z.infer<typeof ErrorInfoSchema>;

/** RFC 9457. `code` is stable; `detail` says what failed, `hint` what to do. */
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

/** Pass the cursor of a page to get the next one; null: it was the last. */
export const CursorSchema = z.string().max(200).nullable();
export const LimitSchema = z.coerce.number().int().min(1).max(500).default(100);

/** A boolean in a query string. */
export const FlagSchema = z.enum(['true', 'false']).transform((text) => text === 'true');
