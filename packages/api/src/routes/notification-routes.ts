import { z } from 'zod';
import type { Route } from '../route.ts';
import {
  NotificationListSchema,
  NotificationQuerySchema,
  NotificationSchema,
  TestNotificationSchema,
} from '../schemas/notification.ts';
import { json } from './replies.ts';

/** Notifications outside of agent-mux. */
export const NOTIFICATION_ROUTES = {
  listNotifications: {
    method: 'get',
    path: '/api/v1/notifications',
    summary: 'List notification targets and recent deliveries',
    tag: 'notifications',
    query: NotificationQuerySchema,
    reply: json(NotificationListSchema, 'Newest first.'),
  },
  testNotification: {
    method: 'post',
    path: '/api/v1/notifications/test',
    summary: 'Send a test notification and return its outcome',
    tag: 'notifications',
    body: TestNotificationSchema,
    bodyOptional: true,
    reply: json(z.object({ notifications: z.array(NotificationSchema) }), 'One per target.'),
  },
} satisfies Record<string, Route>;
