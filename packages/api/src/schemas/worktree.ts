import { z } from 'zod';

export const WorktreeMessageSchema = z.strictObject({
  message: z
    .string()
    .trim()
    .min(1)
    .max(10_000)
    .optional()
    .describe('Of the commit. Default: the title of the session.'),
});

export const WorktreeOutcomeSchema = z.object({
  commit: z.string().nullable().describe('That was made, or merged.'),
  into: z.string().nullable().describe('The branch that has it now.'),
  savedRef: z.string().nullable().describe('Where discarded work is kept.'),
});
export type WorktreeOutcome = z.infer<typeof WorktreeOutcomeSchema>;
