import { z } from 'zod';
import { IdSchema, PathSchema, TimeSchema } from './common.ts';

/** A name and nothing else: it never becomes a path. */
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
  path: z.string().describe('From the workspace, with slashes.'),
  kind: z.enum(['file', 'folder', 'link', 'other']),
  bytes: z.int().nullable().describe('Of a file.'),
  modifiedAt: TimeSchema.nullable(),
});
export type TreeEntry = z.infer<typeof TreeEntrySchema>;

export const TreeSchema = z.object({
  path: z.string(),
  entries: z.array(TreeEntrySchema).describe('Folders first.'),
  truncated: z.boolean(),
});

export const FolderQuerySchema = z.strictObject({
  path: PathSchema.optional().describe('As it is typed: absolute, below `~`, or below the home folder.'),
});

export const FolderListSchema = z.object({
  path: z.string().describe('What was typed, as an absolute path.'),
  kind: z.enum(['folder', 'missing', 'other', 'unreadable']).describe('What lies there now.'),
  inRepository: z.boolean().describe('It is in a git repository, so that it can have a worktree.'),
  folders: z
    .array(
      z.object({
        name: z.string(),
        path: z.string(),
        isRepository: z.boolean().describe('It is the top of a git repository.'),
      }),
    )
    .describe('Folders whose path begins with what was typed. Hidden ones only where a dot was typed.'),
  truncated: z.boolean(),
});
export type FolderList = z.infer<typeof FolderListSchema>;

/** From the workspace; what leads out of it is refused. */
export const InnerPathSchema = PathSchema.describe('From the workspace, with slashes.');

export const FileDiffSchema = z.object({
  path: z.string(),
  oldPath: z.string().nullable().describe('Of what was moved.'),
  status: z.enum(['added', 'modified', 'deleted', 'renamed', 'type-changed', 'unmerged']),
  added: z.int().nullable().describe('Lines; null where it is not text.'),
  removed: z.int().nullable(),
  patch: z.string().nullable().describe('Null where it is not text, or would be too long.'),
});
export type FileDiff = z.infer<typeof FileDiffSchema>;

export const WorkspaceDiffSchema = z.object({
  base: z.string().nullable().describe('The commit that is compared with; null: there is none yet.'),
  files: z.array(FileDiffSchema),
  truncated: z.boolean(),
  shows: z
    .enum(['worktree', 'folder'])
    .optional()
    .describe(
      'Whose changes these are. `worktree`: all that was made in the worktree of this session, committed or not. `folder`: all uncommitted changes of the folder, of whichever session or person.',
    ),
  branch: z.string().nullable().optional().describe('The branch that is checked out; null: none.'),
  commits: z
    .array(z.object({ commit: z.string(), subject: z.string(), time: TimeSchema }))
    .optional()
    .describe('Commits in the worktree since it was created, newest first, at most 50.'),
  uncommitted: z.int().optional().describe('How many of the files differ from the last commit.'),
  merged: z
    .object({ into: z.string(), commit: z.string() })
    .nullable()
    .optional()
    .describe('The branch that has all commits of the worktree, with the last of them; null: not merged.'),
  ignored: z
    .array(z.string())
    .optional()
    .describe('Files that ignore rules hide, at most 200. A folder ends with a slash.'),
  nested: z
    .array(z.string())
    .optional()
    .describe('Folders with their own repository. Their files are in `files`; git cannot commit them here.'),
});
export type WorkspaceDiff = z.infer<typeof WorkspaceDiffSchema>;
