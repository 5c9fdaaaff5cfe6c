import { assertMayStart } from '../access/token-only.ts';
import type { Handlers } from '../call.ts';
import { findSession } from '../find-row.ts';
import type { ApiParts } from '../parts.ts';

type Operations =
  | 'listSessions'
  | 'createSession'
  | 'getSession'
  | 'changeSession'
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
      const { rows, cursor } = await store.listSessions(query);
      return { sessions: rows, cursor };
    },
    async createSession({ body, who }) {
      assertMayStart(who, body);
      return service.create(body, who);
    },
    getSession: ({ params }) => findSession(store, params.id),
    changeSession: async ({ params, body, who }) => service.change(await idOf(params), body, who),
    removeSession: async ({ params, who }) => service.remove(await idOf(params), who),
    interruptSession: async ({ params, who }) => service.interrupt(await idOf(params), who),
    stopSession: async ({ params, who }) => service.stop(await idOf(params), who),
    parkSession: async ({ params, who }) => service.park(await idOf(params), who),
    async restoreSession({ params, body, who }) {
      assertMayStart(who, body);
      return service.restore(await idOf(params), body, who);
    },
    forkSession: async ({ params, body, who }) => service.fork(await idOf(params), body, who),
    reportActivity: async ({ params, body, who }) => service.reportActivity(await idOf(params), body, who),
    listMessages: async ({ params }) => ({ messages: await store.listMessages(await idOf(params)) }),
    sendMessage: async ({ params, body, who }) => service.send(await idOf(params), body, who),
    cancelMessage: async ({ params, who }) => service.cancelMessage(await idOf(params), params.messageId, who),
  };
}
