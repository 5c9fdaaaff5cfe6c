import type { Session } from '@agent-mux/api';
import type { Handlers } from '../call.ts';
import { findRequest, findSession } from '../find-row.ts';
import type { ApiParts } from '../parts.ts';

type Operations = 'listRequests' | 'getRequest' | 'answerRequest' | 'snoozeRequest' | 'getInbox';

const DEFAULT_SNOOZE_MS = 3_600_000;
/** Maximum rows of each kind. */
const INBOX_ROWS = 500;

export function requestHandlers(parts: Pick<ApiParts, 'service' | 'store' | 'clock'>): Pick<Handlers, Operations> {
  const { service, store, clock } = parts;
  return {
    async listRequests({ query }) {
      const { sessionId: prefix, ...rest } = query;
      const sessionId = prefix === undefined ? undefined : (await findSession(store, prefix)).id;
      const { rows, nextCursor } = await store.listRequests({ ...rest, sessionId });
      return { requests: rows, nextCursor };
    },
    getRequest: ({ params }) => findRequest(store, params.id),
    answerRequest: async ({ params, body, actor }) =>
      service.answer((await findRequest(store, params.id)).id, body, actor),
    async snoozeRequest({ params, body, actor }) {
      const { id } = await findRequest(store, params.id);
      return service.postpone(id, body.until ?? clock() + DEFAULT_SNOOZE_MS, actor);
    },
    async getInbox() {
      const now = clock();
      const [open, limited, newest] = await Promise.all([
        store.listRequests({ state: 'open', limit: INBOX_ROWS }),
        store.listSessions({ activity: 'limited', limit: INBOX_ROWS }),
        store.listSessions({ limit: INBOX_ROWS }),
      ]);
      return {
        requests: open.rows.filter(({ snoozedUntil }) => snoozedUntil === null || snoozedUntil <= now),
        limits: limited.rows.filter(isNotDismissed),
        failures: newest.rows.filter((row) => row.error !== null && row.activity !== 'limited' && isNotDismissed(row)),
      };
    },
  };
}

/** Not dismissed since its activity last changed. */
function isNotDismissed({ dismissed, activitySince }: Session): boolean {
  return dismissed !== activitySince;
}
