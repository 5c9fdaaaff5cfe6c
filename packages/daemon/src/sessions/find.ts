import type { Session } from '@agent-mux/api';
import { DaemonError } from '../daemon-error.ts';
import type { Store } from '../store/store.ts';

const MAX_CANDIDATES = 10;

/** Finds a session by its id, a unique prefix of it, or the agent's own session id as `amux sessions` lists it. */
export async function findSession({ store }: { store: Store }, id: string): Promise<Session> {
  const exact = await store.getSession(id);
  if (exact) return exact;
  const byPrefix = await store.listSessions({ id, limit: MAX_CANDIDATES });
  const rows = byPrefix.rows.length > 0 ? byPrefix.rows : await findByAgentSessionId(store, id);
  const [first, second] = rows;
  if (!first) {
    throw new DaemonError('NOT_FOUND', `session "${id}" not found`, {
      hint: 'run "amux ps --all" to list sessions; "amux restore ID" imports one that an agent stored ("amux sessions --all")',
    });
  }
  if (second) {
    const names = rows.map((row) => row.id).join(', ');
    throw new DaemonError('AMBIGUOUS_ID', `"${id}" is ambiguous: it matches ${names}`, { hint: 'use a longer prefix' });
  }
  return first;
}

async function findByAgentSessionId(store: Store, id: string): Promise<Session[]> {
  const { rows } = await store.listSessions({ nativeIdPrefix: id, limit: MAX_CANDIDATES });
  const [, agent, rest] = /^([^:]+):(.+)$/s.exec(id) ?? [];
  if (rows.length > 0 || !agent || !rest) return rows;
  return (await store.listSessions({ agent, nativeIdPrefix: rest, limit: MAX_CANDIDATES })).rows;
}
