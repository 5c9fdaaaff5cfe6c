import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ConfiguredClient } from '@agent-mux/adapters/client';
import type { Session as ManagedSession } from '@agent-mux/api';
import type { SessionSummary } from '@agent-mux/core';
import { AgentMuxError } from '@agent-mux/core/light';
import { withProgress } from '../screen/progress.ts';

type Catalog = Pick<ConfiguredClient['sessions'], 'list' | 'summary'>;

/**
 * Finds a stored session by its id, `agent:id`, a unique prefix, or the id of the daemon's session that runs it (`amux ps`).
 * Throws SESSION_NOT_FOUND, with the candidates of an ambiguous id.
 */
export function findSession(sessions: Catalog, id: string, agent?: string): Promise<SessionSummary> {
  const ofAgent = agent !== undefined && !id.startsWith(`${agent}:`);
  return withProgress('searching for the session', async () => {
    try {
      return await sessions.summary(ofAgent ? `${agent}:${id}` : id);
    } catch (error) {
      if (!isUnknownSession(error)) throw error;
      const managed = await findManaged(id);
      if (!managed || (agent !== undefined && managed.agent !== agent)) throw error;
      if (managed.agentSessionId === null) throw notStored(managed);
      return await sessions.summary(`${managed.agent}:${managed.agentSessionId}`).catch(() => {
        throw notStored(managed);
      });
    }
  });
}

/** The exact id for the catalog's other calls. */
export async function findSessionKey(sessions: Catalog, id: string): Promise<string> {
  const { agent, sessionId } = await findSession(sessions, id);
  return `${agent}:${sessionId}`;
}

/** Whether no session matches. An ambiguous id is a different case: it has candidates. */
export function isUnknownSession(error: unknown): boolean {
  return error instanceof AgentMuxError && error.code === 'SESSION_NOT_FOUND' && error.data?.candidates === undefined;
}

/** The running daemon's session with this id or prefix. Starts no daemon. */
async function findManaged(id: string): Promise<ManagedSession | undefined> {
  const { findDaemon } = await import('@agent-mux/daemon/start');
  const { withRunningDaemon } = await import('../daemon/open.ts');
  try {
    const running = await findDaemon();
    return running ? await withRunningDaemon(running, (daemon) => daemon.sessions.get(id)) : undefined;
  } catch {
    return undefined;
  }
}

function notStored({ id, agent }: ManagedSession): AgentMuxError {
  return new AgentMuxError('SESSION_NOT_FOUND', `session ${id} belongs to the daemon; ${agent} has not stored it`, {
    hint: `run "amux show ${id}" or "amux events ${id}" to read it`,
  });
}

/** The newest session of exactly this folder, not of those below it; undefined if there is none. */
export async function findNewestSession(
  sessions: Catalog,
  cwd: string,
  agent?: string,
): Promise<SessionSummary | undefined> {
  const here = realPath(cwd);
  const { sessions: found } = await withProgress('searching for sessions', (say) =>
    sessions.list({
      cwd,
      ...(agent === undefined ? {} : { agents: [agent] }),
      onProgress: (done, total) => say(`reading sessions: ${done} of ${total}`),
    }),
  );
  return found.find((session) => session.cwd !== undefined && realPath(session.cwd) === here);
}

/** Agents store a folder as given or as resolved by the system. */
function realPath(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return resolve(folder);
  }
}
