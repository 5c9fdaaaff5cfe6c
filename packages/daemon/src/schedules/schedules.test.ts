import type { NewSchedule, NewSession } from '@agent-mux/api';
import { beforeEach, describe, expect, it } from 'vitest';
import { createFakeService } from '../../test/fake-service.ts';
import { createFakeStore, type FakeStore } from '../../test/fake-store.ts';
import { DaemonError } from '../daemon-error.ts';
import { openSchedules } from './schedules.ts';
import { MAX_RUNS } from './stored-schedule.ts';

const HOUR = 3_600_000;
let store: FakeStore;
let now: number;
let created: NewSession[];
let refusal: Error | null;

beforeEach(() => {
  store = createFakeStore();
  now = new Date(2026, 10, 16, 6, 0).getTime();
  created = [];
  refusal = null;
});

/** The schedules of one daemon, on the store that all daemons share. */
function open(env: NodeJS.ProcessEnv = {}) {
  const service = createFakeService(store);
  return openSchedules({
    store,
    service: {
      ...service,
      async create(options, actor) {
        created.push(options);
        if (refusal) throw refusal;
        const session = await service.create(options, actor);
        return (await store.updateSession(session.id, { activity: 'active', launch: 1 })) ?? session;
      },
    },
    env,
    now: () => now,
    log: () => {},
  });
}

const daily: NewSchedule = { cron: '0 7 * * *', session: { agent: 'demo', cwd: '/nowhere', prompt: 'hello' } };
const at = (hour: number, day = 16) => new Date(2026, 10, day, hour, 0).getTime();

async function finish(id: string, patch: object = {}): Promise<void> {
  await store.updateSession(id, { activity: 'idle', turns: 1, ...patch });
}

describe('schedule', () => {
  it('starts a session once when it is due and records the outcome', async () => {
    const schedules = open();
    const { id, nextRunAt } = await schedules.create(daily, 'me');
    expect(nextRunAt).toBe(at(7));
    await schedules.check();
    expect(created).toEqual([]);
    now = at(7) + 200;
    await Promise.all([schedules.check(), schedules.check()]);
    await schedules.check();
    expect(created).toMatchObject([{ agent: 'demo', prompt: 'hello', tags: [`schedule:${id}`], env: {} }]);
    const { lastRun } = await schedules.get(id);
    expect(lastRun).toMatchObject({ dueAt: at(7), state: 'started', by: 'schedule', sessionId: created[0]?.id });
    await finish(lastRun?.sessionId ?? '');
    now += HOUR;
    await schedules.check();
    expect(await schedules.get(id)).toMatchObject({
      nextRunAt: at(7, 17),
      runs: [{ state: 'completed', activity: 'idle' }],
    });
  });

  it('skips a run while the previous one is running, unless it may overlap', async () => {
    const schedules = open();
    const [one, two] = [
      await schedules.create({ ...daily, cron: '0 * * * *' }, 'me'),
      await schedules.create({ ...daily, cron: '0 * * * *', overlap: 'allow' }, 'me'),
    ];
    for (now of [at(7), at(8)]) await schedules.check();
    const states = async (id: string) => (await schedules.get(id)).runs.map(({ state }) => state);
    expect(await states(one.id)).toEqual(['skipped', 'started']);
    expect(await states(two.id)).toEqual(['started', 'started']);
    expect((await schedules.get(one.id)).lastRun?.error).toMatchObject({ code: 'OVERLAP' });
    // A manual run ignores overlap.
    expect(await schedules.run(one.id, 'me')).toMatchObject({ state: 'started', by: 'me' });
  });

  it('makes up for missed runs once, or records that it skipped them', async () => {
    const [run, skip] = [
      await open().create({ ...daily, missed: 'run' }, 'me'),
      await open().create({ ...daily, missed: 'skip' }, 'me'),
    ];
    now = at(9, 20);
    const later = open();
    await later.check();
    await later.check();
    expect(created).toHaveLength(1);
    expect((await later.get(run.id)).runs).toMatchObject([{ state: 'started', dueAt: at(7, 20) }]);
    expect((await later.get(skip.id)).runs).toMatchObject([{ state: 'skipped', error: { code: 'MISSED' } }]);
  });

  it('creates only one session if the daemon died while starting it', async () => {
    const first = open();
    const { id } = await first.create(daily, 'me');
    now = at(7);
    await first.check();
    const [record] = await store.listRecords('schedule');
    const value = record?.value as { runs: { state: string }[] };
    // The state before the session was created.
    await store.putRecord(
      'schedule',
      id,
      { ...value, runs: value.runs.map((run) => ({ ...run, state: 'starting' })) },
      now,
    );
    const second = open();
    second.start();
    await expect.poll(async () => (await second.get(id)).lastRun?.state).toBe('started');
    await second.stop();
    expect(new Set(created.map((each) => each.id)).size).toBe(1);
    expect(new Set(created.map((each) => each.messageId)).size).toBe(1);
    expect((await second.get(id)).runs).toHaveLength(1);
  });

  it('does not run while paused or make up for that time', async () => {
    const schedules = open();
    const { id } = await schedules.create({ ...daily, missed: 'run' }, 'me');
    expect(await schedules.change(id, { paused: true }, 'me')).toMatchObject({ paused: true, nextRunAt: null });
    now = at(7);
    await schedules.check();
    now = at(9);
    await schedules.change(id, { paused: false }, 'me');
    await schedules.check();
    expect(created).toEqual([]);
  });

  it('reports why a run failed: a refusal or a missing variable', async () => {
    const schedules = open({ THERE: 'hunter2' });
    const { id } = await schedules.create({ ...daily, envNames: ['THERE', 'MISSING'] }, 'me');
    expect(await schedules.run(id, 'me')).toMatchObject({
      state: 'failed',
      error: { code: 'MISSING_ENV' },
      sessionId: null,
    });
    const other = await schedules.create({ ...daily, envNames: ['THERE'] }, 'me');
    refusal = new DaemonError('TOO_MANY_SESSIONS', 'too many');
    expect(await schedules.run(other.id, 'me')).toMatchObject({
      state: 'failed',
      error: { code: 'TOO_MANY_SESSIONS' },
    });
    expect(created).toMatchObject([{ env: { THERE: 'hunter2' } }]);
    expect(JSON.stringify(await store.listRecords('schedule'))).not.toContain('hunter2');
  });

  it('rejects invalid options and keeps a bounded history', async () => {
    const schedules = open();
    await expect(schedules.create({ ...daily, cron: '0 0 30 2 *' }, 'me')).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      issues: [{ field: 'cron' }],
    });
    const session = { ...daily.session, worktree: { branch: 'mine' } };
    await expect(schedules.create({ ...daily, session }, 'me')).rejects.toThrow('its own branch');
    const { id } = await schedules.create(daily, 'me');
    refusal = new Error('no');
    for (let run = 0; run < MAX_RUNS + 5; run += 1) await schedules.run(id, 'me');
    expect((await schedules.get(id)).runs).toHaveLength(MAX_RUNS);
    await schedules.remove(id.slice(0, 5), 'me');
    await expect(schedules.get(id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await store.listRecords('schedule')).toEqual([]);
  });

  it('is left in the store if it cannot be read', async () => {
    await store.putRecord('schedule', 'tbroken', { of: 'a newer version' }, now);
    expect(await open().list()).toEqual([]);
    expect(await store.getRecord('schedule', 'tbroken')).toBeDefined();
  });
});
