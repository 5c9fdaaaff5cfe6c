import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeCommit, makeSession, NOON } from '../suite/made-up.ts';
import { openStore } from './sqlite-store.ts';

let folder: string;
let umask: number;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'private-'));
  // What somebody may have set who shares everything.
  umask = process.umask(0);
});
afterEach(async () => {
  process.umask(umask);
  await rm(folder, { recursive: true });
});

const modeOf = (path: string) => statSync(path).mode & 0o777;

describe.skipIf(process.platform === 'win32')('the files of a store', () => {
  async function expectPrivate(room: string): Promise<void> {
    const store = await openStore(join(room, 'store.sqlite'), { now: () => NOON });
    await store.insertSession(makeSession('a'));
    await store.commit([makeCommit('a', 0, 3)]);
    expect(modeOf(room)).toBe(0o700);
    const names = readdirSync(room).sort();
    expect(names).toEqual(['store.sqlite', 'store.sqlite-shm', 'store.sqlite-wal']);
    expect(names.map((name) => modeOf(join(room, name)))).toEqual([0o600, 0o600, 0o600]);
    await store.close();
  }

  it("are their owner's alone, in a folder that is too, whatever the umask says", async () => {
    await expectPrivate(join(folder, 'state', 'daemon'));
  });

  it('are closed to others where they were open', async () => {
    const room = join(folder, 'daemon');
    mkdirSync(room, { mode: 0o755 });
    const path = join(room, 'store.sqlite');
    await (await openStore(path, { now: () => NOON })).close();
    chmodSync(path, 0o644);
    chmodSync(room, 0o755);
    await expectPrivate(room);
  });
});
