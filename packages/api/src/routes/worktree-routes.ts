import type { Route } from '../route.ts';
import { SessionIdParams } from '../schemas/history.ts';
import { WorktreeMergeSchema, WorktreeMessageSchema, WorktreeOutcomeSchema } from '../schemas/worktree.ts';
import { json, noFields } from './replies.ts';

const outcome = json(WorktreeOutcomeSchema, 'The outcome.');

/** Work in a session's own worktree. */
export const WORKTREE_ROUTES = {
  commitWorktree: {
    method: 'post',
    path: '/api/v1/sessions/{id}/worktree/commit',
    summary: 'Commit all uncommitted work, including new files, to the branch of the worktree',
    tag: 'worktrees',
    params: SessionIdParams,
    body: WorktreeMessageSchema,
    bodyOptional: true,
    reply: outcome,
  },
  mergeWorktree: {
    method: 'post',
    path: '/api/v1/sessions/{id}/worktree/merge',
    summary: 'Merge the branch of the worktree into its base branch; fails on conflicts',
    tag: 'worktrees',
    params: SessionIdParams,
    body: WorktreeMergeSchema,
    bodyOptional: true,
    reply: outcome,
  },
  discardWorktree: {
    method: 'post',
    path: '/api/v1/sessions/{id}/worktree/discard',
    summary: 'Reset the worktree to its base; all work is saved to a ref',
    tag: 'worktrees',
    params: SessionIdParams,
    body: noFields,
    bodyOptional: true,
    reply: outcome,
  },
} satisfies Record<string, Route>;
