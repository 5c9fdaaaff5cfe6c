import type { Handlers } from '../call.ts';
import { findSession } from '../find-row.ts';
import type { ApiParts } from '../parts.ts';

type Operations = 'getLimits' | 'getQuota' | 'cancelContinuation' | 'continueSession';

export function limitHandlers({ service, store }: Pick<ApiParts, 'service' | 'store'>): Pick<Handlers, Operations> {
  const idOf = async ({ id }: { id: string }) => (await findSession(store, id)).id;
  return {
    getLimits: () => service.limits(),
    getQuota: async () => ({ accounts: await service.quota() }),
    cancelContinuation: async ({ params, actor }) => service.cancelLimit(await idOf(params), actor),
    continueSession: async ({ params, actor }) => service.continueLimit(await idOf(params), actor),
  };
}
