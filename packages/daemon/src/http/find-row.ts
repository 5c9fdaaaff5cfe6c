import type { Request, Session } from '@agent-mux/api';
import { DaemonError } from '../daemon-error.ts';
import { findSession as find } from '../sessions/find.ts';
import type { Store } from '../store/store.ts';

export function findSession(store: Store, id: string): Promise<Session> {
  return find({ store }, id);
}

/** Finds a request by its id or a unique prefix. Throws NOT_FOUND or AMBIGUOUS_ID. */
export async function findRequest(store: Store, id: string): Promise<Request> {
  const exact = await store.getRequest(id);
  if (exact) return exact;
  const { rows } = await store.listRequests({ id, limit: 2 });
  const [first, second] = rows;
  if (!first) throw new DaemonError('NOT_FOUND', `request "${id}" not found`);
  if (second) {
    throw new DaemonError(
      'AMBIGUOUS_ID',
      `"${id}" is ambiguous: it matches ${first.id}, ${second.id} and possibly more`,
      {
        hint: 'use a longer prefix',
      },
    );
  }
  return first;
}
