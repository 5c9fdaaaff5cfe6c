import type { NewSchedule, Notification, Schedule, ScheduleRun } from '@agent-mux/api';
import { problem, type Reply } from './fake-rows.ts';

const run: ScheduleRun = {
  id: 'trun1',
  dueAt: 1,
  startedAt: 1,
  endedAt: null,
  state: 'started',
  by: 'schedule',
  sessionId: 's123456789012',
  activity: null,
  error: null,
};

/** Schedules and notifications of the fake daemon: stored, but never run. */
export class FakeSchedules {
  readonly #schedules = new Map<string, Schedule>();

  answer(method: string, resource: string | undefined, [id = '', verb]: string[], body: unknown): Reply | undefined {
    if (resource === 'notifications') return this.#notify(id);
    if (resource !== 'schedules') return undefined;
    if (id === '' && method === 'POST') return { status: 201, value: this.#create(body as NewSchedule) };
    if (id === '') return { status: 200, value: { schedules: [...this.#schedules.values()] } };
    const found = [...this.#schedules.values()].find((each) => each.id.startsWith(id));
    if (!found) return problem(404, 'NOT_FOUND', `schedule "${id}" not found`);
    if (verb === 'run') return { status: 201, value: run };
    if (method === 'GET') return { status: 200, value: { ...found, runs: [run] } };
    this.#schedules.delete(found.id);
    if (method === 'DELETE') return { status: 204, value: undefined };
    const changed = { ...found, ...(body as Partial<Schedule>) };
    this.#schedules.set(found.id, changed);
    return { status: 200, value: changed };
  }

  #create({ cron, missed = 'skip', overlap = 'skip', session, envNames = [] }: NewSchedule): Schedule {
    const rest = { options: {}, worktree: false, trustProject: false, tags: [], ...session };
    const id = `tday${this.#schedules.size}`;
    const times = { createdAt: 1, updatedAt: 1, nextRunAt: Date.now() + 3_600_000, lastRun: run };
    const made = { id, cron, missed, overlap, session: rest, envNames, paused: false, by: 'token', ...times };
    this.#schedules.set(id, made);
    return made;
  }

  #notify(verb: string): Reply {
    const notification: Notification = {
      id: 'n1',
      target: 'phone',
      state: 'test',
      sessionId: null,
      requestId: null,
      title: 'A test',
      text: 'It works.',
      createdAt: 1,
      outcome: 'sent',
      attempts: 1,
      nextAttemptAt: null,
      endedAt: 2,
      error: null,
    };
    if (verb === 'test') return { status: 200, value: { notifications: [notification] } };
    const targets = [{ name: 'phone', type: 'webhook', destination: 'example.test' }];
    return { status: 200, value: { targets, notifications: [notification], problems: [] } };
  }
}
