import type { Session } from '@agent-mux/api';
import { DaemonError } from '../daemon-error.ts';
import type { Actor } from '../service.ts';
import { type DaemonContext, notifyChange } from '../sessions/daemon-context.ts';
import { findSession } from '../sessions/find.ts';
import { commitWorktree, discardWorktree, mergeWorktree } from './finish-work.ts';
import { type Worktree, worktreeOf } from './worktree.ts';

export type WorktreeAction =
  | { action: 'commit'; message?: string | undefined }
  | { action: 'merge'; message?: string | undefined; commit?: boolean | undefined }
  | { action: 'discard' };

/** Commits, merges or discards the work in a session's worktree. Refused while a turn is running. */
export async function finishWorktree(ctx: DaemonContext, id: string, options: WorktreeAction, actor: Actor) {
  const found = await findSession(ctx, id);
  return ctx.mutex.run(found.id, async () => {
    const session = await findSession(ctx, found.id);
    const worktree = worktreeOf(session);
    if (!worktree)
      throw new DaemonError('WORKSPACE_ERROR', `session ${session.id} has no worktree`, {
        hint: 'run "amux new --worktree" to start a session with one',
      });
    if (ctx.live.get(session.id)?.projector.state.turn)
      throw new DaemonError('TURN_RUNNING', `session ${session.id} is running a turn`, {
        hint: 'wait for the turn to end, or interrupt it',
      });
    const done = await execute(ctx, session, worktree, options);
    await ctx.store.appendAudit({
      timestamp: ctx.now(),
      actor,
      action: `worktree.${options.action}`,
      sessionId: session.id,
      detail: { ...done },
    });
    notifyChange(ctx);
    return done;
  });
}

async function execute(ctx: DaemonContext, session: Session, worktree: Worktree, options: WorktreeAction) {
  const about = session.title ?? `Work of session ${session.id}`;
  const nothing = { commit: null, into: null, savedRef: null, savedPath: null };
  switch (options.action) {
    case 'commit':
      return { ...nothing, ...(await commitWorktree(worktree, options.message ?? about)) };
    case 'merge':
      return {
        ...nothing,
        ...(await mergeWorktree(worktree, options.message ?? `Merge ${worktree.branch}: ${about}`, {
          commitAs: options.commit ? (options.message ?? about) : null,
        })),
      };
    case 'discard':
      return { ...nothing, ...(await discardWorktree(session.id, worktree, ctx.paths.saved)) };
  }
}
