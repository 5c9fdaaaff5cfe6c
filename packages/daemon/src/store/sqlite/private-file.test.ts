import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCommit, createSession, NOON } from '../suite/fixtures.ts';
import { openStore } from './sqlite-store.ts';

let folder: string;
let umask: number;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'private-'));
  // The umask of a user who shares everything.
  umask = process.umask(0);
});
afterEach(async () => {
  process.umask(umask);
  await rm(folder, { recursive: true });
});

const modeOf = (path: string) => statSync(path).mode & 0o777;

describe.skipIf(process.platform === 'win32')('store files', () => {
  async function expectPrivate(state: string): Promise<void> {
    const store = await openStore(join(state, 'store.sqlite'), { now: () => NOON });
    await store.insertSession(createSession('a'));
    await store.commit([createCommit('a', 0, 3)]);
    expect(modeOf(state)).toBe(0o700);
    const names = readdirSync(state).sort();
    expect(names).toEqual(['store.sqlite', 'store.sqlite-shm', 'store.sqlite-wal']);
    expect(names.map((name) => modeOf(join(state, name)))).toEqual([0o600, 0o600, 0o600]);
    await store.close();
  }

  it('are accessible to their owner only, like their folder, for any umask', async () => {
    await expectPrivate(join(folder, 'state', 'daemon'));
  });

  it('are made private if they were accessible to others', async () => {
    const state = join(folder, 'daemon');
    mkdirSync(state, { mode: 0o755 });
    const path = join(state, 'store.sqlite');
    await (await openStore(path, { now: () => NOON })).close();
    chmodSync(path, 0o644);
    chmodSync(state, 0o755);
    await expectPrivate(state);
  });
});
