import { z } from 'zod';
import type { Route } from '../route.ts';
import {
  NotificationListSchema,
  NotificationQuerySchema,
  NotificationSchema,
  TestNotificationSchema,
} from '../schemas/notification.ts';
import { json } from './replies.ts';

/** What people are told outside of agent-mux. */
export const NOTIFICATION_ROUTES = {
  listNotifications: {
    method: 'get',
    path: '/api/v1/notifications',
    summary: 'What was told to whom, and what came of it',
    tag: 'notifications',
    query: NotificationQuerySchema,
    reply: json(NotificationListSchema, 'The newest first.'),
  },
  testNotification: {
    method: 'post',
    path: '/api/v1/notifications/test',
    summary: 'Tells a target something harmless, once, and says what came of it',
    tag: 'notifications',
    body: TestNotificationSchema,
    bodyOptional: true,
    reply: json(z.object({ notifications: z.array(NotificationSchema) }), 'One for each target.'),
  },
} satisfies Record<string, Route>;
