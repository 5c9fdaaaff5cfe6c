import type { Handlers } from '../call.ts';
import { findSession } from '../find-row.ts';
import type { ApiParts } from '../parts.ts';

type Operations = 'getLimits' | 'getQuota' | 'cancelLimit' | 'continueLimit';

export function limitHandlers({ service, store }: Pick<ApiParts, 'service' | 'store'>): Pick<Handlers, Operations> {
  const idOf = async ({ id }: { id: string }) => (await findSession(store, id)).id;
  return {
    getLimits: () => service.limits(),
    getQuota: async () => ({ accounts: await service.quota() }),
    cancelLimit: async ({ params, who }) => service.cancelLimit(await idOf(params), who),
    continueLimit: async ({ params, who }) => service.continueLimit(await idOf(params), who),
  };
}
