import { findDaemon } from '@agent-mux/daemon/start';
import { shortIds } from '../sessions/words.ts';
import { withFound } from './open.ts';
import { allSessions } from './pages.ts';
import { sortSessions, titleOf } from './session-table.ts';

/** The sessions that an id may mean. A shell that completes a word starts no daemon. */
export async function listToComplete(): Promise<{ word: string; about: string }[]> {
  const found = await findDaemon();
  if (!found) return [];
  const sessions = sortSessions(await withFound(found, (daemon) => allSessions(daemon)));
  const ids = shortIds(sessions.map(({ id }) => id));
  return sessions.map((session, at) => ({
    word: ids[at] ?? session.id,
    about: `${session.agent}: ${titleOf(session)}`,
  }));
}
