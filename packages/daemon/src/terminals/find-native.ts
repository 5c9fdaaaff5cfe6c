import type { Session } from '@agent-mux/api';
import { messageOf } from '@agent-mux/core';
import type { DaemonContext } from '../sessions/daemon-context.ts';

/** Maximum number of stored sessions to check. Only a single match is usable. */
const MAX_CANDIDATES = 20;

/**
 * Agent session ids that the agent's terminal may have stored: in this folder, since this session started, and not yet
 * assigned to another session. For agents whose hooks do not report the id, a single match is taken as this session's.
 */
export async function findStoredSince(ctx: DaemonContext, session: Session): Promise<string[]> {
  const { agent, cwd, createdAt } = session;
  try {
    const { sessions } = await ctx.clientFor(session).sessions.list({ agents: [agent], cwd, limit: MAX_CANDIDATES });
    const since = sessions.filter(
      (stored) => (stored.createdAt ?? 0) >= createdAt && stored.parentSessionId === undefined,
    );
    const known = await Promise.all(
      since.map(
        async ({ sessionId }) => (await ctx.store.listSessions({ agent, agentSessionId: sessionId, limit: 1 })).rows,
      ),
    );
    return since.flatMap(({ sessionId }, at) => (known[at]?.length === 0 ? [sessionId] : []));
  } catch (error) {
    ctx.log(`cannot list stored ${agent} sessions for session ${session.id}: ${messageOf(error)}`);
    return [];
  }
}
