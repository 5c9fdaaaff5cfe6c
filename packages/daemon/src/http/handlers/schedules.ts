import { assertMayStart } from '../access/token-only.ts';
import type { Handlers } from '../call.ts';
import type { ApiParts } from '../parts.ts';

type Operations =
  | 'listSchedules'
  | 'createSchedule'
  | 'getSchedule'
  | 'updateSchedule'
  | 'removeSchedule'
  | 'runSchedule';

export function scheduleHandlers({ schedules }: Pick<ApiParts, 'schedules'>): Pick<Handlers, Operations> {
  return {
    listSchedules: async () => ({ schedules: await schedules.list() }),
    async createSchedule({ body, actor }) {
      assertMayStart(actor, body.session);
      return schedules.create(body, actor);
    },
    getSchedule: ({ params }) => schedules.get(params.id),
    updateSchedule: ({ params, body, actor }) => schedules.change(params.id, body, actor),
    async removeSchedule({ params, actor }) {
      await schedules.remove(params.id, actor);
      return undefined;
    },
    runSchedule: ({ params, actor }) => schedules.run(params.id, actor),
  };
}
