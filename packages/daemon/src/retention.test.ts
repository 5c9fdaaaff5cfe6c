import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RemovedSession } from '@agent-mux/api';
import { describe, expect, it, onTestFinished } from 'vitest';
import { daemonPathsIn } from './paths.ts';
import { ClockGuard, dropOld } from './retention.ts';
import { openStore } from './store/sqlite/sqlite-store.ts';
import { createSession, NOON } from './store/suite/fixtures.ts';

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

describe('ClockGuard', () => {
  it('trusts a clock that runs normally', async () => {
    const { guard, store, pass, records, clocks } = world();
    pass(HOUR);
    expect(await guard.mayTrust(store)).toBe(true);
    expect(records.get('last-seen')).toBe(clocks.wall);
  });

  it.each([10 * 365 * 24 * HOUR, -24 * HOUR])('distrusts a clock set by %d ms while the daemon runs', async (jump) => {
    const { guard, store, pass, clocks } = world();
    pass(HOUR);
    clocks.wall += jump;
    expect(await guard.mayTrust(store)).toBe(false);
  });

  it.each([400 * 24 * HOUR, 2_000 * 24 * HOUR])(
    'distrusts a clock set while no daemon ran, for one day',
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

it('keeps the session of a worktree that cannot be removed and continues', async () => {
  const root = mkdtempSync(join(tmpdir(), 'retention-'));
  const store = await openStore(join(root, 'store.sqlite'), { now: () => NOON, report: () => {} });
  onTestFinished(async () => {
    await store.close();
    rmSync(root, { recursive: true });
  });
  const paths = daemonPathsIn(root);
  for (const folder of [paths.files, paths.blobs]) mkdirSync(folder);
  const old = { isTerminated: true, activity: 'exited', lastActiveAt: NOON - 2 * HOUR } as const;
  const workspace = (id: string) => ({
    ...({ kind: 'worktree', path: join(root, id), repository: join(root, 'repo'), branch: id, base: '0' } as const),
    ...{ baseBranch: null, removed: false, savedRef: null },
  });
  for (const id of ['stuck', 'tree'])
    await store.insertSession(createSession(id, { ...old, workspace: workspace(id) }));
  await store.insertSession(createSession('plain', old));
  const lines: string[] = [];
  const remove = async (id: string): Promise<RemovedSession> => {
    if (id === 'stuck') throw new Error('its disk is gone');
    await store.deleteSession(id);
    return neverRemove(id);
  };
  const settings = { retentionMs: HOUR, retentionBytes: 0 };
  expect(await dropOld({ store, paths, settings, remove, log: (line) => lines.push(line) }, NOON)).toEqual(['plain']);
  expect(lines.join()).toContain('stuck: could not remove its worktree: its disk is gone');
  expect((await store.listSessions({ limit: 10 })).rows.map(({ id }) => id)).toEqual(['stuck']);
});

it('deletes the scratch folder of an old session only', async () => {
  const root = mkdtempSync(join(tmpdir(), 'retention-'));
  const store = await openStore(join(root, 'store.sqlite'), { now: () => NOON, report: () => {} });
  onTestFinished(async () => {
    await store.close();
    rmSync(root, { recursive: true });
  });
  const paths = daemonPathsIn(root);
  for (const folder of ['old', 'young'].map((name) => join(paths.scratch, name)))
    mkdirSync(folder, { recursive: true });
  for (const folder of [paths.files, paths.blobs]) mkdirSync(folder);
  const ended = { isTerminated: true, activity: 'exited' } as const;
  await store.insertSession(
    createSession('a', { ...ended, cwd: join(paths.scratch, 'old'), lastActiveAt: NOON - 2 * HOUR }),
  );
  await store.insertSession(createSession('b', { ...ended, cwd: join(paths.scratch, 'young'), lastActiveAt: NOON }));
  const settings = { retentionMs: HOUR, retentionBytes: 0 };
  expect(await dropOld({ store, paths, settings, remove: neverRemove, log: () => {} }, NOON)).toEqual(['a']);
  expect([existsSync(join(paths.scratch, 'old')), existsSync(join(paths.scratch, 'young'))]).toEqual([false, true]);
});
