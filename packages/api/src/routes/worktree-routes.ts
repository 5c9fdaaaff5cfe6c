import type { Route } from '../route.ts';
import { SessionIdParams } from '../schemas/history.ts';
import { WorktreeMergeSchema, WorktreeMessageSchema, WorktreeOutcomeSchema } from '../schemas/worktree.ts';
import { json, noFields } from './replies.ts';

const outcome = json(WorktreeOutcomeSchema, 'What was made of it.');

/** What becomes of the work of a session in a worktree of its own. */
export const WORKTREE_ROUTES = {
  commitWorktree: {
    method: 'post',
    path: '/api/v1/sessions/{id}/worktree/commit',
    summary: 'Commits all uncommitted work, new files too, to the branch of the worktree',
    tag: 'worktrees',
    params: SessionIdParams,
    body: WorktreeMessageSchema,
    bodyOptional: true,
    reply: outcome,
  },
  mergeWorktree: {
    method: 'post',
    path: '/api/v1/sessions/{id}/worktree/merge',
    summary: 'Merges the branch of the worktree into the one that it began from; refused where there are conflicts',
    tag: 'worktrees',
    params: SessionIdParams,
    body: WorktreeMergeSchema,
    bodyOptional: true,
    reply: outcome,
  },
  discardWorktree: {
    method: 'post',
    path: '/api/v1/sessions/{id}/worktree/discard',
    summary: 'Puts the worktree back to how it began; all that was made is kept on a ref',
    tag: 'worktrees',
    params: SessionIdParams,
    body: noFields,
    bodyOptional: true,
    reply: outcome,
  },
} satisfies Record<string, Route>;
