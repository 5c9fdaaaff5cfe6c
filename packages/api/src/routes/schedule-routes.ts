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

const scheduleParams = z.object({ id: IdSchema.describe('May be shortened while only one begins with it.') });

/** Sessions that begin by themselves. */
export const SCHEDULE_ROUTES = {
  listSchedules: {
    method: 'get',
    path: '/api/v1/schedules',
    summary: 'Schedules, the next to run first',
    tag: 'schedules',
    reply: json(z.object({ schedules: z.array(ScheduleSchema) }), 'All of them.'),
  },
  createSchedule: {
    method: 'post',
    path: '/api/v1/schedules',
    summary: 'Makes a schedule: a session that begins by itself, again and again',
    tag: 'schedules',
    body: NewScheduleSchema,
    reply: json(ScheduleSchema, 'The new schedule.', 201),
  },
  getSchedule: {
    method: 'get',
    path: '/api/v1/schedules/{id}',
    summary: 'A schedule, and what became of its runs',
    tag: 'schedules',
    params: scheduleParams,
    reply: json(ScheduleDetailSchema, 'The schedule.'),
  },
  changeSchedule: {
    method: 'patch',
    path: '/api/v1/schedules/{id}',
    summary: 'Pauses, resumes or changes a schedule',
    tag: 'schedules',
    params: scheduleParams,
    body: SchedulePatchSchema,
    reply: json(ScheduleSchema, 'The schedule.'),
  },
  removeSchedule: {
    method: 'delete',
    path: '/api/v1/schedules/{id}',
    summary: 'Removes a schedule; the sessions that it began stay',
    tag: 'schedules',
    params: scheduleParams,
    reply: none(204, 'It is gone.'),
  },
  runSchedule: {
    method: 'post',
    path: '/api/v1/schedules/{id}/run',
    summary: 'Runs it now, whatever the clock says',
    tag: 'schedules',
    params: scheduleParams,
    body: noFields,
    bodyOptional: true,
    reply: json(ScheduleRunSchema, 'The run.', 201),
  },
} satisfies Record<string, Route>;
