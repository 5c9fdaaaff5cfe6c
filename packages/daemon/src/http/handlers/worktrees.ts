import type { Handlers } from '../call.ts';
import { findSession } from '../find-row.ts';
import type { ApiParts } from '../parts.ts';

type Operations = 'commitWorktree' | 'mergeWorktree' | 'discardWorktree';

export function worktreeHandlers({ service, store }: Pick<ApiParts, 'service' | 'store'>): Pick<Handlers, Operations> {
  const idOf = async ({ id }: { id: string }) => (await findSession(store, id)).id;
  return {
    commitWorktree: async ({ params, body, who }) =>
      service.finishWork(await idOf(params), { order: 'commit', ...body }, who),
    mergeWorktree: async ({ params, body, who }) =>
      service.finishWork(await idOf(params), { order: 'merge', ...body }, who),
    discardWorktree: async ({ params, who }) => service.finishWork(await idOf(params), { order: 'discard' }, who),
  };
}
