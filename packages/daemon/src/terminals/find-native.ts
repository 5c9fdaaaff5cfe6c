import type { Session } from '@agent-mux/api';
import { messageOf } from '@agent-mux/core';
import type { Desk } from '../sessions/desk.ts';

/** More than one is as good as none. */
const LOOKED_AT = 20;

/**
 * The agent's own ids of what its screen may have stored: in this folder, since this session was begun, and of no other session
 * of ours. Not every agent has hooks that tell it; then one that is alone there is this one's.
 */
export async function findStoredSince(desk: Desk, session: Session): Promise<string[]> {
  const { agent, cwd, createdAt } = session;
  try {
    const { sessions } = await desk.clientFor(session).sessions.list({ agents: [agent], cwd, limit: LOOKED_AT });
    const since = sessions.filter(
      (stored) => (stored.createdAt ?? 0) >= createdAt && stored.parentSessionId === undefined,
    );
    const known = await Promise.all(
      since.map(
        async ({ sessionId }) => (await desk.store.listSessions({ agent, nativeId: sessionId, limit: 1 })).rows,
      ),
    );
    return since.flatMap(({ sessionId }, at) => (known[at]?.length === 0 ? [sessionId] : []));
  } catch (error) {
    desk.log(`what ${agent} has stored of session ${session.id} cannot be read: ${messageOf(error)}`);
    return [];
  }
}
