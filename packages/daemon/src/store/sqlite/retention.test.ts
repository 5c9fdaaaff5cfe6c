import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../store.ts';
import { createCommit, createSession, NOON } from '../suite/fixtures.ts';
import { openStore } from './sqlite-store.ts';

const DAY = 24 * 60 * 60 * 1_000;

let folder: string;
let path: string;
let store: Store;
let time = NOON;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'retention-'));
  path = join(folder, 'store.sqlite');
  time = NOON;
  store = await openStore(path, { now: () => time });
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

describe('retention', () => {
  it('shrinks the files', async () => {
    await store.insertSession(createSession('a', { isTerminated: true }));
    const line = JSON.stringify(randomBytes(5_000_000).toString('base64'));
    await store.commit([createCommit('a', 0, 0, { lines: [{ seq: 0, line }] })]);
    await store.retain({});
    expect(statSync(path).size).toBeGreaterThan(5_000_000);
    await store.retain({ olderThan: NOON + 1 });
    expect(statSync(path).size).toBeLessThan(1_000_000);
    expect(statSync(`${path}-wal`).size).toBe(0);
  });

  it('keeps tombstones for a month', async () => {
    await store.insertSession(createSession('a'));
    await store.deleteSession('a');
    time += 29 * DAY;
    await store.retain({});
    expect((await store.readChanges(0, 10)).changes).toMatchObject([{ kind: 'session', id: 'a', value: null }]);
    time += 2 * DAY;
    await store.retain({});
    expect(await store.readChanges(0, 10)).toEqual({ changes: [], lastRev: 2, hasMore: false });
  });
});

describe('partially read page of events', () => {
  it('does not prevent truncating the WAL', async () => {
    await store.insertSession(createSession('a'));
    await store.commit([createCommit('a', 0, 5_000)]);
    await store.commit([createCommit('a', 5_001, 9_000)]);
    expect(await store.readEvents('a', -1, 1)).toMatchObject({ hasMore: true });
    await store.retain({});
    expect(statSync(`${path}-wal`).size).toBe(0);
  });
});
