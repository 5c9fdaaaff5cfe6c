import type { Session } from '@agent-mux/api';
import type { Handlers } from '../call.ts';
import { findRequest, findSession } from '../find-row.ts';
import type { ApiParts } from '../parts.ts';

type Operations = 'listRequests' | 'getRequest' | 'answerRequest' | 'postponeRequest' | 'getInbox';

const AN_HOUR_MS = 3_600_000;
/** Of each kind; so many are more than anybody looks through. */
const INBOX_ROWS = 500;

export function requestHandlers(parts: Pick<ApiParts, 'service' | 'store' | 'clock'>): Pick<Handlers, Operations> {
  const { service, store, clock } = parts;
  return {
    async listRequests({ query }) {
      const { session, ...rest } = query;
      const sessionId = session === undefined ? undefined : (await findSession(store, session)).id;
      const { rows, cursor } = await store.listRequests({ ...rest, sessionId });
      return { requests: rows, cursor };
    },
    getRequest: ({ params }) => findRequest(store, params.id),
    answerRequest: async ({ params, body, who }) => service.answer((await findRequest(store, params.id)).id, body, who),
    async postponeRequest({ params, body, who }) {
      const { id } = await findRequest(store, params.id);
      return service.postpone(id, body.until ?? clock() + AN_HOUR_MS, who);
    },
    async getInbox() {
      const now = clock();
      const [open, limited, newest] = await Promise.all([
        store.listRequests({ state: 'open', limit: INBOX_ROWS }),
        store.listSessions({ activity: 'limited', limit: INBOX_ROWS }),
        store.listSessions({ limit: INBOX_ROWS }),
      ]);
      return {
        requests: open.rows.filter(({ laterUntil }) => laterUntil === null || laterUntil <= now),
        limits: limited.rows.filter(needsSomebody),
        failures: newest.rows.filter((row) => row.error !== null && row.activity !== 'limited' && needsSomebody(row)),
      };
    },
  };
}

/** Nobody has waved it away since it is so. */
function needsSomebody({ dismissed, activitySince }: Session): boolean {
  return dismissed !== activitySince;
}
