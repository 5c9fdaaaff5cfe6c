import { mkdtemp, readdir, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeCommit, makeSession, NOON } from '../suite/made-up.ts';
import { shareRuns } from './durability.ts';
import { openStore } from './sqlite-store.ts';

describe('runs that are shared', () => {
  function makeRuns() {
    const ends: PromiseWithResolvers<void>[] = [];
    const ask = shareRuns(() => {
      const end = Promise.withResolvers<void>();
      ends.push(end);
      return end.promise;
    });
    return { ends, ask };
  }

  it('are one for all that ask while another is under way, and it begins after that one', async () => {
    const { ends, ask } = makeRuns();
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

  it('fail for those that asked, and not for those that ask afterwards', async () => {
    const { ends, ask } = makeRuns();
    const first = ask();
    const second = ask();
    ends[0]?.reject(new Error('no room'));
    await expect(first).rejects.toThrow('no room');
    await expect.poll(() => ends.length).toBe(2);
    ends[1]?.resolve();
    await second;
  });
});

describe('a store that was asked to be durable', () => {
  it.skipIf(process.platform !== 'linux')('holds the log that it writes to, after retention too', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'durable-'));
    const log = join(folder, 'store.sqlite-wal');
    const held = async () => {
      const fds = await readdir('/proc/self/fd');
      const names = await Promise.all(fds.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
      return names.filter((name) => name.startsWith(log));
    };
    const store = await openStore(join(folder, 'store.sqlite'), { now: () => NOON });
    await store.insertSession(makeSession('a'));
    await store.sync();
    // SQLite's own and ours.
    expect(await held()).toEqual([log, log]);
    await store.retain({ olderThan: 0 });
    await store.commit([makeCommit('a', 0, 1)]);
    await store.sync();
    expect(await held()).toEqual([log, log]);
    await store.close();
    await expect(store.sync()).rejects.toThrow(/closed/);
    expect(await held()).toEqual([]);
    await rm(folder, { recursive: true });
  });
});
