import { resolve } from 'node:path';
import type { DaemonClient, Session } from '@agent-mux/api';
import { isProblem } from '@agent-mux/api';
import { readVariable } from '../run/variables.ts';

interface Wanted {
  variables: readonly string[];
  agent: string | undefined;
  cwd: string | undefined;
}

/** Restores a daemon session, or imports one stored by an agent: by id, `agent:id` or unique prefix. */
export async function restoreAny(
  daemon: DaemonClient,
  id: string,
  { variables, agent, cwd }: Wanted,
): Promise<Session> {
  const env = Object.fromEntries(variables.map((entry) => readVariable('--env', entry)));
  const isOurs = agent === undefined && !id.includes(':');
  if (isOurs) {
    try {
      return await daemon.sessions.restore(id, { env });
    } catch (error) {
      if (!isProblem(error, 'NOT_FOUND')) throw error;
    }
  }
  const stored = await findStored(id, agent);
  const folder = cwd === undefined ? stored.cwd : resolve(cwd);
  return daemon.sessions.importStored(stored.agent, stored.sessionId, folder === undefined ? {} : { cwd: folder });
}

async function findStored(id: string, agent: string | undefined) {
  const { openClient } = await import('../open-client.ts');
  const { findSession } = await import('../sessions/find-session.ts');
  const client = await openClient(
    { flags: {}, positionals: [] },
    { asksAll: agent === undefined && !id.includes(':') },
  );
  try {
    return await findSession(client.sessions, id, agent);
  } finally {
    await client.close();
  }
}
