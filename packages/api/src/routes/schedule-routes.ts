import { z } from 'zod';
import type { Route } from '../route.ts';
import { IdSchema } from '../schemas/common.ts';
import {
  NewScheduleSchema,
  ScheduleDetailSchema,
  SchedulePatchSchema,
  ScheduleRunSchema,
  ScheduleSchema,
} from '../schemas/schedule.ts';
import { json, noFields, none } from './replies.ts';

const scheduleParams = z.object({ id: IdSchema.describe('The id or a unique prefix.') });

/** Sessions started on a cron schedule. */
export const SCHEDULE_ROUTES = {
  listSchedules: {
    method: 'get',
    path: '/api/v1/schedules',
    summary: 'List schedules, next run first',
    tag: 'schedules',
    reply: json(z.object({ schedules: z.array(ScheduleSchema) }), 'The schedules.'),
  },
  createSchedule: {
    method: 'post',
    path: '/api/v1/schedules',
    summary: 'Create a schedule',
    tag: 'schedules',
    body: NewScheduleSchema,
    reply: json(ScheduleSchema, 'The new schedule.', 201),
  },
  getSchedule: {
    method: 'get',
    path: '/api/v1/schedules/{id}',
    summary: 'Get a schedule and its recent runs',
    tag: 'schedules',
    params: scheduleParams,
    reply: json(ScheduleDetailSchema, 'The schedule.'),
  },
  updateSchedule: {
    method: 'patch',
    path: '/api/v1/schedules/{id}',
    summary: 'Pause, resume or update a schedule',
    tag: 'schedules',
    params: scheduleParams,
    body: SchedulePatchSchema,
    reply: json(ScheduleSchema, 'The schedule.'),
  },
  removeSchedule: {
    method: 'delete',
    path: '/api/v1/schedules/{id}',
    summary: 'Remove a schedule; its sessions are kept',
    tag: 'schedules',
    params: scheduleParams,
    reply: none(204, 'Removed.'),
  },
  runSchedule: {
    method: 'post',
    path: '/api/v1/schedules/{id}/run',
    summary: 'Run a schedule now',
    tag: 'schedules',
    params: scheduleParams,
    body: noFields,
    bodyOptional: true,
    reply: json(ScheduleRunSchema, 'The run.', 201),
  },
} satisfies Record<string, Route>;
