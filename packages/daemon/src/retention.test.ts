import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RemovedSession } from '@agent-mux/api';
import { describe, expect, it, onTestFinished } from 'vitest';
import { placesIn } from './places.ts';
import { ClockGuard, dropOld } from './retention.ts';
import { openStore } from './store/sqlite/sqlite-store.ts';
import { makeSession, NOON } from './store/suite/made-up.ts';

const HOUR = 3_600_000;

function world(lastSeen?: number) {
  const clocks = { wall: 1_000 * 24 * HOUR, steady: 0 };
  const records = new Map<string, unknown>(lastSeen === undefined ? [] : [['last-seen', lastSeen]]);
  const store = {
    getRecord: async (_: string, key: string) => records.get(key),
    putRecord: async (_: string, key: string, value: unknown) => void records.set(key, value),
  };
  const guard = new ClockGuard({ now: () => clocks.wall, steady: () => clocks.steady });
  const pass = (ms: number) => {
    clocks.wall += ms;
    clocks.steady += ms;
  };
  return { clocks, guard, store, pass, records };
}

describe('nothing is dropped because of a clock', () => {
  it('that goes as it should: then what is old may go', async () => {
    const { guard, store, pass, records, clocks } = world();
    pass(HOUR);
    expect(await guard.mayTrust(store)).toBe(true);
    expect(records.get('last-seen')).toBe(clocks.wall);
  });

  it.each([10 * 365 * 24 * HOUR, -24 * HOUR])('that is set by %d ms while the daemon runs', async (jump) => {
    const { guard, store, pass, clocks } = world();
    pass(HOUR);
    clocks.wall += jump;
    expect(await guard.mayTrust(store)).toBe(false);
  });

  it.each([400 * 24 * HOUR, 2_000 * 24 * HOUR])(
    'that was set while no daemon ran, until a day has passed',
    async (lastSeen) => {
      const { guard, store, pass } = world(lastSeen);
      pass(HOUR);
      expect(await guard.mayTrust(store)).toBe(false);
      pass(24 * HOUR);
      expect(await guard.mayTrust(store)).toBe(true);
    },
  );
});

const neverRemove = async (id: string): Promise<RemovedSession> => ({
  ...{ id, branch: null, savedRef: null, savedPath: null },
});

it('continues after a worktree that cannot be removed, and keeps its session', async () => {
  const root = mkdtempSync(join(tmpdir(), 'retention-'));
  const store = await openStore(join(root, 'store.sqlite'), { now: () => NOON, report: () => {} });
  onTestFinished(async () => {
    await store.close();
    rmSync(root, { recursive: true });
  });
  const places = placesIn(root);
  for (const folder of [places.files, places.blobs]) mkdirSync(folder);
  const old = { isTerminated: true, activity: 'exited', lastActiveAt: NOON - 2 * HOUR } as const;
  const workspace = (id: string) => ({
    ...({ kind: 'worktree', path: join(root, id), repository: join(root, 'repo'), branch: id, base: '0' } as const),
    ...{ baseBranch: null, removed: false, savedRef: null },
  });
  for (const id of ['stuck', 'tree']) await store.insertSession(makeSession(id, { ...old, workspace: workspace(id) }));
  await store.insertSession(makeSession('plain', old));
  const lines: string[] = [];
  const remove = async (id: string): Promise<RemovedSession> => {
    if (id === 'stuck') throw new Error('its disk is gone');
    await store.deleteSession(id);
    return neverRemove(id);
  };
  const settings = { keepMs: HOUR, keepBytes: 0 };
  expect(await dropOld({ store, places, settings, remove, log: (line) => lines.push(line) }, NOON)).toEqual(['plain']);
  expect(lines.join()).toContain('stuck: its worktree stays: its disk is gone');
  expect((await store.listSessions({ limit: 10 })).rows.map(({ id }) => id)).toEqual(['stuck']);
});

it('an old session takes its scratch folder along; that of a younger one stays', async () => {
  const root = mkdtempSync(join(tmpdir(), 'retention-'));
  const store = await openStore(join(root, 'store.sqlite'), { now: () => NOON, report: () => {} });
  onTestFinished(async () => {
    await store.close();
    rmSync(root, { recursive: true });
  });
  const places = placesIn(root);
  for (const folder of ['old', 'young'].map((name) => join(places.scratch, name)))
    mkdirSync(folder, { recursive: true });
  for (const folder of [places.files, places.blobs]) mkdirSync(folder);
  const ended = { isTerminated: true, activity: 'exited' } as const;
  await store.insertSession(
    makeSession('a', { ...ended, cwd: join(places.scratch, 'old'), lastActiveAt: NOON - 2 * HOUR }),
  );
  await store.insertSession(makeSession('b', { ...ended, cwd: join(places.scratch, 'young'), lastActiveAt: NOON }));
  const settings = { keepMs: HOUR, keepBytes: 0 };
  expect(await dropOld({ store, places, settings, remove: neverRemove, log: () => {} }, NOON)).toEqual(['a']);
  expect([existsSync(join(places.scratch, 'old')), existsSync(join(places.scratch, 'young'))]).toEqual([false, true]);
});
