import { assertMayStart } from '../access/token-only.ts';
import type { Handlers } from '../call.ts';
import { findSession } from '../find-row.ts';
import type { ApiParts } from '../parts.ts';

type Operations =
  | 'listSessions'
  | 'createSession'
  | 'getSession'
  | 'updateSession'
  | 'removeSession'
  | 'interruptSession'
  | 'stopSession'
  | 'parkSession'
  | 'restoreSession'
  | 'forkSession'
  | 'reportActivity'
  | 'listMessages'
  | 'sendMessage'
  | 'cancelMessage';

export function sessionHandlers({ service, store }: Pick<ApiParts, 'service' | 'store'>): Pick<Handlers, Operations> {
  const idOf = async ({ id }: { id: string }) => (await findSession(store, id)).id;
  return {
    async listSessions({ query }) {
      const { rows, nextCursor } = await store.listSessions(query);
      return { sessions: rows, nextCursor };
    },
    async createSession({ body, actor }) {
      assertMayStart(actor, body);
      return service.create(body, actor);
    },
    getSession: ({ params }) => findSession(store, params.id),
    updateSession: async ({ params, body, actor }) => service.change(await idOf(params), body, actor),
    removeSession: async ({ params, actor }) => service.remove(await idOf(params), actor),
    interruptSession: async ({ params, actor }) => service.interrupt(await idOf(params), actor),
    stopSession: async ({ params, actor }) => service.stop(await idOf(params), actor),
    parkSession: async ({ params, actor }) => service.park(await idOf(params), actor),
    async restoreSession({ params, body, actor }) {
      assertMayStart(actor, body);
      return service.restore(await idOf(params), body, actor);
    },
    forkSession: async ({ params, body, actor }) => service.fork(await idOf(params), body, actor),
    reportActivity: async ({ params, body, actor }) => service.reportActivity(await idOf(params), body, actor),
    listMessages: async ({ params }) => ({ messages: await store.listMessages(await idOf(params)) }),
    sendMessage: async ({ params, body, actor }) => service.send(await idOf(params), body, actor),
    cancelMessage: async ({ params, actor }) => service.cancelMessage(await idOf(params), params.messageId, actor),
  };
}
