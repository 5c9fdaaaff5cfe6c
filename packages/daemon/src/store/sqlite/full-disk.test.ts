import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../store.ts';
import { createCommit, createMessage, createRequest, createSession, NOON } from '../suite/fixtures.ts';
import { openStore } from './sqlite-store.ts';

const disk = mkdtempSync(join(tmpdir(), 'disk-'));
const run = (command: string, ...options: string[]) => spawnSync(command, options, { stdio: 'ignore' }).status === 0;
const canMount = process.platform === 'linux' && run('mount', '-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk);
if (canMount) run('umount', disk);
afterAll(() => rmdirSync(disk));

describe.skipIf(!canMount)('store on a full disk (skipped if no small disk can be mounted)', () => {
  const filler = join(disk, 'filler');
  let store: Store;
  beforeEach(async () => {
    expect(run('mount', '-t', 'tmpfs', '-o', 'size=1m,mode=0700', 'tmpfs', disk)).toBe(true);
    store = await openStore(join(disk, 'store.sqlite'), { now: () => NOON });
    await store.insertSession(createSession('a'));
    await store.insertMessage(createMessage('a', 'm'));
    await store.commit([createCommit('a', 0, 9)]);
  });
  afterEach(async () => {
    await store.close();
    expect(run('umount', disk)).toBe(true);
  });

  /** Fills the disk. */
  function fillDisk(): void {
    const block = Buffer.alloc(4_096, 1);
    try {
      for (;;) writeFileSync(filler, block, { flag: 'a' });
    } catch (failure) {
      expect(failure).toMatchObject({ code: 'ENOSPC' });
    }
  }

  const large = () => {
    const lines = [10, 11].map((seq) => ({ seq, line: JSON.stringify(randomBytes(90_000).toString('base64')) }));
    return createCommit('a', 10, 11, {
      lines,
      session: { title: 'after' },
      requests: [createRequest('a', 'r')],
      messageChanges: [{ id: 'm', change: { state: 'accepted' } }],
    });
  };

  it('rejects a commit completely, stays readable, and accepts it once there is space', async () => {
    const before = await store.getSession('a');
    fillDisk();
    const batch = large();
    for (const _ of [1, 2, 3]) {
      await expect(store.commit([batch])).rejects.toMatchObject({ name: 'StoreError', code: 'FULL' });
    }
    expect(await store.getSession('a')).toEqual(before);
    expect(await store.getRequest('r')).toBeNull();
    expect(await store.getMessage('a', 'm')).toMatchObject({ state: 'queued' });
    expect(await store.readEvents('a', -1, 100)).toMatchObject({ lastSeq: 9, hasMore: false });
    expect(await store.revision()).toBe(before?.rev);
    rmSync(filler);
    await store.commit([batch]);
    await store.sync();
    expect(await store.getSession('a')).toMatchObject({ title: 'after', lastSeq: 11, openRequests: 1 });
    expect((await store.readEvents('a', 9, 10)).lines).toEqual(batch.lines.map(({ line }) => line));
  });

  it('rejects every other write', async () => {
    fillDisk();
    const text = 'x'.repeat(200_000);
    const full = { name: 'StoreError', code: 'FULL' };
    await expect(store.insertSession(createSession('b', { summary: text }))).rejects.toMatchObject(full);
    await expect(store.updateSession('a', { summary: text })).rejects.toMatchObject(full);
    await expect(store.insertMessage(createMessage('a', 'n', { text }))).rejects.toMatchObject(full);
    await expect(store.putRecord('kind', 'key', text, NOON)).rejects.toMatchObject(full);
    const audit = { timestamp: NOON, actor: 'x', action: 'y', sessionId: 'a', detail: { text } };
    await expect(store.appendAudit(audit)).rejects.toMatchObject(full);
    rmSync(filler);
    await store.appendAudit(audit);
    expect(await store.insertMessage(createMessage('a', 'n', { text }))).toMatchObject({ isNew: true });
  });

  it('has all commits after it is reopened', async () => {
    fillDisk();
    await expect(store.commit([large()])).rejects.toMatchObject({ code: 'FULL' });
    await store.close();
    rmSync(filler);
    store = await openStore(join(disk, 'store.sqlite'), { now: () => NOON });
    expect((await store.readEvents('a', -1, 100)).lines).toHaveLength(10);
    await store.commit([createCommit('a', 10, 12)]);
  });

  it('reports why it cannot be created', async () => {
    fillDisk();
    await expect(openStore(join(disk, 'second.sqlite'), { now: () => NOON })).rejects.toMatchObject({ code: 'FULL' });
  });
});
