import { mkdtemp, readdir, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createCommit, createSession, NOON } from '../suite/fixtures.ts';
import { coalesceRuns } from './durability.ts';
import { openStore } from './sqlite-store.ts';

describe('coalesceRuns', () => {
  function createRuns() {
    const ends: PromiseWithResolvers<void>[] = [];
    const ask = coalesceRuns(() => {
      const end = Promise.withResolvers<void>();
      ends.push(end);
      return end.promise;
    });
    return { ends, ask };
  }

  it('runs once after the current run for all calls made during it', async () => {
    const { ends, ask } = createRuns();
    const first = ask();
    const later = [ask(), ask(), ask()];
    expect(ends).toHaveLength(1);
    ends[0]?.resolve();
    await first;
    await expect.poll(() => ends.length).toBe(2);
    const last = ask();
    ends[1]?.resolve();
    await Promise.all(later);
    await expect.poll(() => ends.length).toBe(3);
    ends[2]?.resolve();
    await last;
  });

  it('rejects the waiting calls but not later ones', async () => {
    const { ends, ask } = createRuns();
    const first = ask();
    const second = ask();
    ends[0]?.reject(new Error('disk full'));
    await expect(first).rejects.toThrow('disk full');
    await expect.poll(() => ends.length).toBe(2);
    ends[1]?.resolve();
    await second;
  });
});

describe('sync', () => {
  it.skipIf(process.platform !== 'linux')(
    'keeps the WAL open that the store writes to, even after retention',
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'durable-'));
      const log = join(folder, 'store.sqlite-wal');
      const held = async () => {
        const fds = await readdir('/proc/self/fd');
        const names = await Promise.all(fds.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
        return names.filter((name) => name.startsWith(log));
      };
      const store = await openStore(join(folder, 'store.sqlite'), { now: () => NOON });
      await store.insertSession(createSession('a'));
      await store.sync();
      // SQLite's handle and ours.
      expect(await held()).toEqual([log, log]);
      await store.retain({ olderThan: 0 });
      await store.commit([createCommit('a', 0, 1)]);
      await store.sync();
      expect(await held()).toEqual([log, log]);
      await store.close();
      await expect(store.sync()).rejects.toThrow(/closed/);
      expect(await held()).toEqual([]);
      await rm(folder, { recursive: true });
    },
  );
});
