import { z } from 'zod';
import { IdSchema, PathSchema, TimeSchema } from './common.ts';

/** A file name that can never become a path. */
export const FileNameSchema = z
  .string()
  .min(1)
  .max(255)
  .regex(/^(?!\.{1,2}$)[^\x00-\x1f\x7f/\\]+$/, 'must be a name, without slashes or control characters');

export const StoredFileSchema = z.object({
  id: IdSchema,
  name: FileNameSchema,
  mimeType: z.string(),
  bytes: z.int(),
});
export type StoredFile = z.infer<typeof StoredFileSchema>;

export const TreeEntrySchema = z.object({
  name: z.string(),
  path: z.string().describe('Relative to the workspace, with slashes.'),
  kind: z.enum(['file', 'folder', 'link', 'other']),
  bytes: z.int().nullable().describe('Size of a file.'),
  modifiedAt: TimeSchema.nullable(),
});
export type TreeEntry = z.infer<typeof TreeEntrySchema>;

export const TreeSchema = z.object({
  path: z.string(),
  entries: z.array(TreeEntrySchema).describe('Folders first.'),
  truncated: z.boolean(),
});

export const FolderQuerySchema = z.strictObject({
  path: PathSchema.optional().describe('As typed: absolute, below `~`, or relative to the home folder.'),
});

export const FolderListSchema = z.object({
  path: z.string().describe('The typed path as an absolute one.'),
  kind: z.enum(['folder', 'missing', 'other', 'unreadable']).describe('What exists at the path.'),
  inRepository: z.boolean().describe('Whether it is in a git repository, so that it can have a worktree.'),
  folders: z
    .array(
      z.object({
        name: z.string(),
        path: z.string(),
        isRepository: z.boolean().describe('Whether it is the top folder of a git repository.'),
      }),
    )
    .describe('Folders whose path starts with the typed text. Hidden ones only after a dot.'),
  truncated: z.boolean(),
});
export type FolderList = z.infer<typeof FolderListSchema>;

/** Relative to the workspace; paths that leave it are rejected. */
export const WorkspacePathSchema = PathSchema.describe('Relative to the workspace, with slashes.');

export const FileDiffSchema = z.object({
  path: z.string(),
  oldPath: z.string().nullable().describe('Previous path of a renamed file.'),
  status: z.enum(['added', 'modified', 'deleted', 'renamed', 'type-changed', 'unmerged']),
  added: z.int().nullable().describe('Added lines; null if it is not text.'),
  removed: z.int().nullable(),
  patch: z.string().nullable().describe('Null if it is not text or too long.'),
});
export type FileDiff = z.infer<typeof FileDiffSchema>;

export const WorkspaceDiffSchema = z.object({
  base: z.string().nullable().describe('Commit to compare with; null if there is none yet.'),
  files: z.array(FileDiffSchema),
  truncated: z.boolean(),
  shows: z
    .enum(['worktree', 'folder'])
    .optional()
    .describe(
      'Scope of the changes. `worktree`: everything changed in the worktree of this session, committed or not. `folder`: all uncommitted changes of the folder, regardless of who made them.',
    ),
  branch: z.string().nullable().optional().describe('The checked-out branch; null if none.'),
  commits: z
    .array(z.object({ commit: z.string(), subject: z.string(), time: TimeSchema }))
    .optional()
    .describe('Commits in the worktree since it was created, newest first, at most 50.'),
  uncommitted: z.int().optional().describe('Number of files that differ from the last commit.'),
  merged: z
    .object({ into: z.string(), commit: z.string() })
    .nullable()
    .optional()
    .describe('The branch that contains all commits of the worktree, with the last of them; null if not merged.'),
  ignored: z.array(z.string()).optional().describe('Ignored files, at most 200. A folder ends with a slash.'),
  nested: z
    .array(z.string())
    .optional()
    .describe('Folders with their own repository. Their files are in `files`; git cannot commit them here.'),
});
export type WorkspaceDiff = z.infer<typeof WorkspaceDiffSchema>;
