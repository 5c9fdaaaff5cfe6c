import { assertMayStart } from '../access/token-only.ts';
import type { Handlers } from '../call.ts';
import type { ApiParts } from '../parts.ts';

type Operations =
  | 'listSchedules'
  | 'createSchedule'
  | 'getSchedule'
  | 'changeSchedule'
  | 'removeSchedule'
  | 'runSchedule';

export function scheduleHandlers({ schedules }: Pick<ApiParts, 'schedules'>): Pick<Handlers, Operations> {
  return {
    listSchedules: async () => ({ schedules: await schedules.list() }),
    async createSchedule({ body, who }) {
      assertMayStart(who, body.session);
      return schedules.create(body, who);
    },
    getSchedule: ({ params }) => schedules.get(params.id),
    changeSchedule: ({ params, body, who }) => schedules.change(params.id, body, who),
    async removeSchedule({ params, who }) {
      await schedules.remove(params.id, who);
      return undefined;
    },
    runSchedule: ({ params, who }) => schedules.run(params.id, who),
  };
}
