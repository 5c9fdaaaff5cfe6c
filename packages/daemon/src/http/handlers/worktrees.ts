import type { Handlers } from '../call.ts';
import { findSession } from '../find-row.ts';
import type { ApiParts } from '../parts.ts';

type Operations = 'commitWorktree' | 'mergeWorktree' | 'discardWorktree';

export function worktreeHandlers({ service, store }: Pick<ApiParts, 'service' | 'store'>): Pick<Handlers, Operations> {
  const idOf = async ({ id }: { id: string }) => (await findSession(store, id)).id;
  return {
    commitWorktree: async ({ params, body, actor }) =>
      service.finishWork(await idOf(params), { action: 'commit', ...body }, actor),
    mergeWorktree: async ({ params, body, actor }) =>
      service.finishWork(await idOf(params), { action: 'merge', ...body }, actor),
    discardWorktree: async ({ params, actor }) => service.finishWork(await idOf(params), { action: 'discard' }, actor),
  };
}
