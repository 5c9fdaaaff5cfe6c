import { z } from 'zod';
import { IdSchema } from './common.ts';

export const WorktreeMessageSchema = z.strictObject({
  message: z
    .string()
    .trim()
    .min(1)
    .max(10_000)
    .optional()
    .describe('Of the commit. Default: the title of the session.'),
});

export const WorktreeMergeSchema = WorktreeMessageSchema.extend({
  commit: z
    .boolean()
    .optional()
    .describe(
      'Commit uncommitted work and merge it in one step: after a conflict nothing is committed or merged. Default: refuse to merge while there is uncommitted work.',
    ),
});

export const WorktreeOutcomeSchema = z.object({
  commit: z.string().nullable().describe('That was made, or merged.'),
  into: z.string().nullable().describe('The branch that has it now.'),
  savedRef: z.string().nullable().describe('Where discarded work is kept.'),
  savedPath: z
    .string()
    .nullable()
    .optional()
    .describe('The folder that discarded folders with their own repository were moved to.'),
});
/** What is left of a session that was removed. */
export const RemovedSessionSchema = z.object({
  id: IdSchema,
  branch: z.string().nullable().describe('The branch of its worktree, which stays.'),
  savedRef: z.string().nullable().describe('The ref with its uncommitted work; null: there was none.'),
  savedPath: z
    .string()
    .nullable()
    .describe('The folder with what no commit holds: ignored files, folders with their own repository.'),
});
export type RemovedSession = z.infer<typeof RemovedSessionSchema>;

export type WorktreeOutcome = z.infer<typeof WorktreeOutcomeSchema>;
