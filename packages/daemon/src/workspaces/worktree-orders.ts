import type { Session } from '@agent-mux/api';
import { DaemonError } from '../daemon-error.ts';
import type { Who } from '../service.ts';
import { type Desk, tellChange } from '../sessions/desk.ts';
import { findSession } from '../sessions/find.ts';
import { commitWork, discardWork, mergeWork } from './finish-work.ts';
import { type Worktree, worktreeOf } from './worktree.ts';

export type WorktreeOrder =
  | { order: 'commit'; message?: string | undefined }
  | { order: 'merge'; message?: string | undefined; commit?: boolean | undefined }
  | { order: 'discard' };

/** What becomes of the work of a session in a worktree of its own. Never while its agent may be writing. */
export async function finishWork(desk: Desk, id: string, given: WorktreeOrder, who: Who) {
  const found = await findSession(desk, id);
  return desk.serial.run(found.id, async () => {
    const session = await findSession(desk, found.id);
    const worktree = worktreeOf(session);
    if (!worktree)
      throw new DaemonError('WORKSPACE_ERROR', `session ${session.id} has no worktree of its own`, {
        hint: 'begin one with amux new --worktree',
      });
    if (desk.live.get(session.id)?.projector.state.turn)
      throw new DaemonError('TURN_RUNNING', `session ${session.id} is at work`, {
        hint: 'wait for the end of its turn, or interrupt it',
      });
    const done = await carryOut(desk, session, worktree, given);
    await desk.store.appendAudit({
      time: desk.now(),
      who,
      action: `worktree.${given.order}`,
      sessionId: session.id,
      detail: { ...done },
    });
    tellChange(desk);
    return done;
  });
}

async function carryOut(desk: Desk, session: Session, worktree: Worktree, given: WorktreeOrder) {
  const about = session.title ?? `Work of session ${session.id}`;
  const nothing = { commit: null, into: null, savedRef: null, savedPath: null };
  switch (given.order) {
    case 'commit':
      return { ...nothing, ...(await commitWork(worktree, given.message ?? about)) };
    case 'merge':
      return {
        ...nothing,
        ...(await mergeWork(worktree, given.message ?? `Merge ${worktree.branch}: ${about}`, {
          commitAs: given.commit ? (given.message ?? about) : null,
        })),
      };
    case 'discard':
      return { ...nothing, ...(await discardWork(session.id, worktree, desk.places.saved)) };
  }
}
