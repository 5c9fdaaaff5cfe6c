import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../store.ts';
import { createCommit, createSession, linesOf, NOON } from '../suite/fixtures.ts';
import { openStore } from './sqlite-store.ts';

let folder: string;
let path: string;
let store: Store;
let problems: string[];
const open = () => openStore(path, { now: () => NOON, report: (problem) => problems.push(problem) });
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'events-'));
  path = join(folder, 'store.sqlite');
  problems = [];
  store = await open();
  await store.insertSession(createSession('a'));
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

function query(sql: string): Record<string, unknown>[] {
  const db = new DatabaseSync(path);
  try {
    return db.prepare(sql).all();
  } finally {
    db.close();
  }
}

const countRows = () => Number(query('SELECT count(*) AS rows FROM events')[0]?.rows);

async function expectAll(last: number): Promise<void> {
  const { lines } = await store.readEvents('a', -1, 1_000_000);
  expect(lines).toEqual(linesOf(0, last).map(({ line }) => line));
}

async function commitOneByOne(from: number, to: number): Promise<void> {
  for (let seq = from; seq <= to; seq += 1) await store.commit([createCommit('a', seq, seq)]);
}

describe('event rows', () => {
  it('stay few when events arrive one by one', async () => {
    await commitOneByOne(0, 9_999);
    expect(countRows()).toBeLessThan(100);
    await expectAll(9_999);
  });

  it('are merged when a turn ends', async () => {
    await commitOneByOne(0, 39);
    expect(countRows()).toBe(40);
    await store.commit([createCommit('a', 40, 40, { session: { activity: 'idle' } })]);
    expect(countRows()).toBe(1);
    await expectAll(40);
  });

  it('are merged when small and large batches alternate', async () => {
    for (let from = 0; from < 20_000; from += 1_000) {
      await store.commit([createCommit('a', from, from)]);
      await store.commit([createCommit('a', from + 1, from + 999)]);
    }
    expect(countRows()).toBe(20);
    await expectAll(19_999);
  });

  it('are merged in the same way after the store is reopened', async () => {
    await commitOneByOne(0, 60);
    await store.close();
    store = await open();
    await commitOneByOne(61, 63);
    expect(countRows()).toBe(1);
    await expectAll(63);
  });

  it('are correct after a rolled-back commit', async () => {
    await commitOneByOne(0, 62);
    await expect(store.commit([createCommit('a', 63, 63), createCommit('a', 90, 91)])).rejects.toMatchObject({
      code: 'GAP',
    });
    expect(countRows()).toBe(63);
    await commitOneByOne(63, 70);
    expect(countRows()).toBe(8);
    await expectAll(70);
  });

  it('stay in order when another process writes in between', async () => {
    await store.commit([createCommit('a', 0, 999)]);
    const other = await open();
    await other.commit([createCommit('a', 1_000, 1_000)]);
    await other.close();
    await store.commit([createCommit('a', 1_001, 2_000)]);
    await commitOneByOne(2_001, 2_100);
    await expectAll(2_100);
  });

  it('take little space', async () => {
    await store.commit([createCommit('a', 0, 9_999)]);
    const [row] = query('SELECT sum(length(data)) AS stored, sum(chars) AS chars FROM events');
    expect(Number(row?.stored)).toBeLessThan(Number(row?.chars) / 4);
  });
});

describe('corrupt content', () => {
  it('in events is reported and skipped', async () => {
    await store.commit([createCommit('a', 0, 999)]);
    await store.commit([createCommit('a', 1_000, 1_999)]);
    query("UPDATE events SET data = x'00112233' WHERE seq_from = 0");
    expect(await store.readEvents('a', -1, 2)).toMatchObject({ lastSeq: 1_001, hasMore: true });
    await store.readEvents('a', -1, 2);
    expect(problems).toEqual([expect.stringContaining('corrupt events 0 to 999')]);
  });

  it('in small rows is left alone and blocks no commit', async () => {
    await commitOneByOne(0, 9);
    query("UPDATE events SET data = 'two' || char(10) || 'lines' WHERE seq_to = 4");
    await commitOneByOne(10, 199);
    expect((await store.readEvents('a', -1, 1_000)).lines).toHaveLength(199);
    expect(query("SELECT count(*) AS rows FROM events WHERE data LIKE 'two%'")).toMatchObject([{ rows: 1 }]);
  });

  it('in other rows is reported and omitted from every list', async () => {
    await store.insertSession(createSession('b'));
    await store.insertSession(createSession('c'));
    await store.appendAudit({ timestamp: NOON, actor: 'x', action: 'y', sessionId: null, detail: {} });
    await store.putRecord('kind', 'key', 1, NOON);
    query(`UPDATE sessions SET options = '{"torn' WHERE id = 'a'`);
    query(`UPDATE sessions SET activity = 'dancing' WHERE id = 'b'`);
    query(`UPDATE audit SET detail = '[]'`);
    query(`UPDATE records SET value = 'torn'`);
    expect((await store.listSessions({ limit: 10 })).rows).toMatchObject([{ id: 'c' }]);
    expect(await store.getSession('a')).toBeNull();
    expect(await store.listUnfinished()).toMatchObject([{ id: 'c' }]);
    expect(await store.readChanges(0, 10)).toMatchObject({ changes: [{ id: 'c' }], lastRev: 3, hasMore: false });
    expect(await store.readAudit({ limit: 10 })).toEqual([]);
    expect(await store.getRecord('kind', 'key')).toBeUndefined();
    expect(await store.listRecords('kind')).toEqual([]);
    expect(problems).toEqual([
      expect.stringMatching(/row a of sessions/),
      expect.stringMatching(/row b of sessions: .*activity/),
      expect.stringMatching(/audit entry 1/),
      expect.stringMatching(/record kind key/),
    ]);
  });
});
