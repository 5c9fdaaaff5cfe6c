import { findDaemon } from '@agent-mux/daemon/start';
import { shortIds } from '../sessions/format.ts';
import { withRunningDaemon } from './open.ts';
import { allSessions } from './pages.ts';
import { sortSessions, titleOf } from './session-table.ts';

/** Session ids for completion. Does not start the daemon. */
export async function completeSessions(): Promise<{ word: string; about: string }[]> {
  const found = await findDaemon();
  if (!found) return [];
  const sessions = sortSessions(await withRunningDaemon(found, (daemon) => allSessions(daemon)));
  const ids = shortIds(sessions.map(({ id }) => id));
  return sessions.map((session, at) => ({
    word: ids[at] ?? session.id,
    about: `${session.agent}: ${titleOf(session)}`,
  }));
}
