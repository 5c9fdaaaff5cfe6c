import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Session } from '@agent-mux/api';
import { describe, expect, it } from 'vitest';
import { newRun } from '../src/schedules/new-run.ts';
import { type StoredSchedule, StoredScheduleSchema, withRun } from '../src/schedules/stored-schedule.ts';
import { openStore } from '../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../src/store/store.ts';
import { createMessage, createSession } from '../src/store/suite/fixtures.ts';
import { createWorktree } from '../src/workspaces/worktree.ts';
import { type Machine, useMachines } from './daemons.ts';

const machines = useMachines();
const TIMEOUT = { timeout: 60_000, interval: 50 };
const MINUTE = 60_000;

/** Changes a stored schedule while no daemon runs, to simulate one that died at another time. */
async function rewrite(
  machine: Machine,
  id: string,
  change: (schedule: StoredSchedule, store: Store) => Promise<StoredSchedule> | StoredSchedule,
): Promise<void> {
  const store = await openStore(machine.paths.database, { now: Date.now, report: () => {} });
  const schedule = StoredScheduleSchema.parse(await store.getRecord('schedule', id));
  await store.putRecord('schedule', id, await change(schedule, store), Date.now());
  await store.close();
}

async function sessionsOf(machine: Machine): Promise<Session[]> {
  return (await machine.client.sessions.list()).sessions;
}

function repository(machine: Machine): void {
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', machine.work, ...args], { stdio: 'ignore', env: machine.env });
  git('init', '-q');
  writeFileSync(join(machine.work, 'a.txt'), 'a');
  git('add', '.');
  git('-c', 'user.name=a', '-c', 'user.email=a@example.test', 'commit', '-qm', 'a');
}

describe('schedule', () => {
  it('runs once for all missed times, even if the daemon is killed repeatedly', async () => {
    const machine = await machines.start();
    const session = { agent: 'demo', cwd: machine.work, prompt: 'hello', title: 'Daily' };
    const { id } = await machine.client.schedules.create({
      cron: '* * * * *',
      missed: 'run',
      overlap: 'allow',
      session,
    });
    await machine.client.schedules.update(id, { cron: '0 0 1 1 *' });
    await machine.kill();
    await rewrite(machine, id, (schedule) => ({ ...schedule, seenAt: Date.now() - 3 * 366 * 24 * 60 * MINUTE }));
    await machine.start();
    await expect.poll(async () => (await sessionsOf(machine)).length, TIMEOUT).toBe(1);
    await machine.kill();
    await machine.start();
    const state = async () => (await machine.client.schedules.get(id)).lastRun?.state;
    await expect.poll(state, TIMEOUT).toBe('completed');
    const [made, ...more] = await sessionsOf(machine);
    expect(more).toEqual([]);
    expect(made).toMatchObject({ title: 'Daily', turns: 1, tags: [`schedule:${id}`] });
    expect((await machine.client.schedules.get(id)).runs).toMatchObject([{ sessionId: made?.id, activity: 'idle' }]);
  });

  it.each(['nothing', 'its row', 'its worktree', 'its message'])(
    'completes its session after the daemon died leaving %s of it',
    async (left) => {
      const machine = await machines.start();
      repository(machine);
      const session = { agent: 'demo', cwd: machine.work, prompt: 'hello', worktree: left !== 'its message' };
      const { id } = await machine.client.schedules.create({ cron: '0 0 1 1 *', session });
      await machine.kill();
      const run = newRun({ id: `${id}abc`, dueAt: Date.now(), by: 'schedule', now: Date.now() });
      const sessionId = run.sessionId ?? '';
      await rewrite(machine, id, async (schedule, store) => {
        const at = { cwd: machine.work, workspace: { kind: 'folder', path: machine.work } as const };
        const row = createSession(sessionId, { ...at, agent: 'demo', launch: 0, parked: true });
        if (left !== 'nothing') await store.insertSession(row);
        if (left === 'its worktree')
          await createWorktree({ cwd: machine.work, id: sessionId, folder: machine.paths.worktrees }, {});
        if (left === 'its message')
          await store.insertMessage(createMessage(sessionId, `schedule-${run.id}`, { text: 'hello', state: 'queued' }));
        return withRun(schedule, run);
      });
      await machine.start();
      await expect.poll(async () => (await machine.client.schedules.get(id)).lastRun?.state, TIMEOUT).toBe('completed');
      expect(await sessionsOf(machine)).toMatchObject([{ id: sessionId, turns: 1, error: null }]);
      expect((await machine.client.sessions.messages(sessionId)).map(({ text }) => text)).toEqual(['hello']);
    },
  );

  it('reports a missing variable and runs once it is set', async () => {
    const machine = await machines.start();
    const session = { agent: 'demo', cwd: machine.work, prompt: 'hello' };
    const { id } = await machine.client.schedules.create({ cron: '0 0 1 1 *', session, envNames: ['OF_THE_TEST'] });
    expect(await machine.client.schedules.run(id)).toMatchObject({ state: 'failed', error: { code: 'MISSING_ENV' } });
    await machine.end();
    await machine.start({ OF_THE_TEST: 'a value' });
    const run = await machine.client.schedules.run(id);
    expect(run).toMatchObject({ state: 'started' });
    expect(await machine.until(run.sessionId ?? '', ({ turns }) => turns === 1)).toMatchObject({
      envNames: ['OF_THE_TEST'],
    });
  });

  it('is refused if its session would be', async () => {
    const machine = await machines.start();
    const create = (session: object) =>
      machine.client.schedules.create({
        cron: '0 7 * * *',
        session: { agent: 'demo', cwd: machine.work, prompt: 'x', ...session },
      });
    await expect(create({ agent: 'missing' })).rejects.toMatchObject({ problem: 'UNKNOWN_AGENT' });
    await expect(create({ cwd: join(machine.work, 'nowhere') })).rejects.toMatchObject({ problem: 'VALIDATION_ERROR' });
    await expect(create({ options: { sessionId: 'x' } })).rejects.toMatchObject({ problem: 'VALIDATION_ERROR' });
    await expect(create({ env: { A: 'a value' } })).rejects.toMatchObject({ problem: 'VALIDATION_ERROR' });
    expect(await machine.client.schedules.list()).toEqual([]);
  });
});

it('creates a session with a given id only once', async () => {
  const machine = await machines.start();
  const options = { id: 's0123456789abc', agent: 'demo', cwd: machine.work, prompt: 'hello' };
  const created = await Promise.all([1, 2, 3].map(() => machine.client.sessions.create(options)));
  expect(new Set(created.map(({ id }) => id))).toEqual(new Set([options.id]));
  await machine.until(options.id, ({ turns }) => turns === 1);
  expect(await machine.client.sessions.create(options)).toMatchObject({ id: options.id, turns: 1 });
  expect(await machine.client.sessions.messages(options.id)).toHaveLength(1);
});
