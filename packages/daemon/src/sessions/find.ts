import type { Session } from '@agent-mux/api';
import { DaemonError } from '../daemon-error.ts';
import type { Desk } from './desk.ts';

/** Ids may be shortened as long as one session begins with them. */
export async function findSession({ store }: Pick<Desk, 'store'>, id: string): Promise<Session> {
  const exact = await store.getSession(id);
  if (exact) return exact;
  const { rows } = await store.listSessions({ id, limit: 10 });
  if (rows.length === 1) return rows[0]!;
  if (rows.length === 0)
    throw new DaemonError('NOT_FOUND', `there is no session "${id}"`, { hint: 'amux ps --all lists them' });
  const names = rows.map((row) => row.id).join(', ');
  throw new DaemonError('AMBIGUOUS_ID', `several sessions begin with "${id}": ${names}`, { hint: 'say more of it' });
}
