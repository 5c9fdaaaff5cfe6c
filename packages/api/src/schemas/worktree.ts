import { z } from 'zod';
import { IdSchema } from './common.ts';

export const WorktreeMessageSchema = z.strictObject({
  message: z.string().trim().min(1).max(10_000).optional().describe('Commit message. Default: the session title.'),
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
  commit: z.string().nullable().describe('The commit that was created or merged.'),
  into: z.string().nullable().describe('The branch that contains it now.'),
  savedRef: z.string().nullable().describe('Ref with the discarded work.'),
  savedPath: z.string().nullable().optional().describe('Folder the discarded nested repositories were moved to.'),
});
/** What is left of a deleted session. */
export const RemovedSessionSchema = z.object({
  id: IdSchema,
  branch: z.string().nullable().describe('The branch of its worktree, which is kept.'),
  savedRef: z.string().nullable().describe('Ref with its uncommitted work; null if there was none.'),
  savedPath: z
    .string()
    .nullable()
    .describe('Folder with saved files that git does not store: ignored files, folders with their own repository.'),
});
export type RemovedSession = z.infer<typeof RemovedSessionSchema>;

export type WorktreeOutcome = z.infer<typeof WorktreeOutcomeSchema>;
