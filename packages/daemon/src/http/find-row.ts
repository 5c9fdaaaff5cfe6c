import type { Request, Session } from '@agent-mux/api';
import { DaemonError } from '../daemon-error.ts';
import type { Store } from '../store/store.ts';

/** By its id, or the beginning of it while no other begins so. Throws NOT_FOUND or AMBIGUOUS_ID. */
export async function findSession(store: Store, id: string): Promise<Session> {
  const exact = await store.getSession(id);
  if (exact) return exact;
  const { rows } = await store.listSessions({ id, limit: 2 });
  return theOne('session', id, rows);
}

export async function findRequest(store: Store, id: string): Promise<Request> {
  const exact = await store.getRequest(id);
  if (exact) return exact;
  const { rows } = await store.listRequests({ id, limit: 2 });
  return theOne('request', id, rows);
}

function theOne<Row extends { id: string }>(what: string, id: string, rows: readonly Row[]): Row {
  const [first, second] = rows;
  if (!first) throw new DaemonError('NOT_FOUND', `there is no ${what} "${id}"`);
  if (second) {
    throw new DaemonError('AMBIGUOUS_ID', `"${id}" may be ${first.id}, ${second.id} or another ${what}`, {
      hint: 'write more of it',
    });
  }
  return first;
}
