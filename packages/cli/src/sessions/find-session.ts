import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ConfiguredClient } from '@agent-mux/adapters/client';
import type { SessionSummary } from '@agent-mux/core';
import { withProgress } from '../screen/progress.ts';

type Catalog = Pick<ConfiguredClient['sessions'], 'list' | 'summary'>;

/**
 * The session that a person means: by its id, `agent:id`, or the beginning of one that no other begins with. Throws
 * SESSION_NOT_FOUND, with those that it may be.
 */
export function findSession(sessions: Catalog, id: string, agent?: string): Promise<SessionSummary> {
  const ofAgent = agent !== undefined && !id.startsWith(`${agent}:`);
  return withProgress('looking for the session', () => sessions.summary(ofAgent ? `${agent}:${id}` : id));
}

/** The newest of exactly this folder, not of those below it; undefined where there is none. */
export async function findNewestSession(
  sessions: Catalog,
  cwd: string,
  agent?: string,
): Promise<SessionSummary | undefined> {
  const here = realPath(cwd);
  const { sessions: found } = await withProgress('looking for sessions', (say) =>
    sessions.list({
      cwd,
      ...(agent === undefined ? {} : { agents: [agent] }),
      onProgress: (done, total) => say(`reading sessions: ${done} of ${total}`),
    }),
  );
  return found.find((session) => session.cwd !== undefined && realPath(session.cwd) === here);
}

/** Agents write down a folder as it was given, or as the system resolves it. */
function realPath(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return resolve(folder);
  }
}
