import type { Handlers } from '../call.ts';
import type { ApiParts } from '../parts.ts';

type Operations = 'listNotifications' | 'testNotification';

export function notificationHandlers({ notifications }: Pick<ApiParts, 'notifications'>): Pick<Handlers, Operations> {
  return {
    listNotifications: ({ query }) => notifications.list(query.limit),
    testNotification: async ({ body }) => ({ notifications: await notifications.test(body.target) }),
  };
}
