import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../store.ts';
import { linesOf, makeCommit, makeSession, NOON } from '../suite/made-up.ts';
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
  await store.insertSession(makeSession('a'));
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
  for (let seq = from; seq <= to; seq += 1) await store.commit([makeCommit('a', seq, seq)]);
}

describe('rows of events', () => {
  it('stay few when events come one by one', async () => {
    await commitOneByOne(0, 9_999);
    expect(countRows()).toBeLessThan(100);
    await expectAll(9_999);
  });

  it('are put together when a turn has ended', async () => {
    await commitOneByOne(0, 39);
    expect(countRows()).toBe(40);
    await store.commit([makeCommit('a', 40, 40, { session: { activity: 'idle' } })]);
    expect(countRows()).toBe(1);
    await expectAll(40);
  });

  it('do not stay small beside large ones', async () => {
    for (let from = 0; from < 20_000; from += 1_000) {
      await store.commit([makeCommit('a', from, from)]);
      await store.commit([makeCommit('a', from + 1, from + 999)]);
    }
    expect(countRows()).toBe(20);
    await expectAll(19_999);
  });

  it('are put together after the store was opened again, as if it had not been closed', async () => {
    await commitOneByOne(0, 60);
    await store.close();
    store = await open();
    await commitOneByOne(61, 63);
    expect(countRows()).toBe(1);
    await expectAll(63);
  });

  it('are right after a commit that was undone', async () => {
    await commitOneByOne(0, 62);
    await expect(store.commit([makeCommit('a', 63, 63), makeCommit('a', 90, 91)])).rejects.toMatchObject({
      code: 'GAP',
    });
    expect(countRows()).toBe(63);
    await commitOneByOne(63, 70);
    expect(countRows()).toBe(8);
    await expectAll(70);
  });

  it('are in order when another process has written in between', async () => {
    await store.commit([makeCommit('a', 0, 999)]);
    const other = await open();
    await other.commit([makeCommit('a', 1_000, 1_000)]);
    await other.close();
    await store.commit([makeCommit('a', 1_001, 2_000)]);
    await commitOneByOne(2_001, 2_100);
    await expectAll(2_100);
  });

  it('take little room', async () => {
    await store.commit([makeCommit('a', 0, 9_999)]);
    const [row] = query('SELECT sum(length(data)) AS stored, sum(chars) AS chars FROM events');
    expect(Number(row?.stored)).toBeLessThan(Number(row?.chars) / 4);
  });
});

describe('what is broken', () => {
  it('among the events is reported and left out, and the rest is read', async () => {
    await store.commit([makeCommit('a', 0, 999)]);
    await store.commit([makeCommit('a', 1_000, 1_999)]);
    query("UPDATE events SET data = x'00112233' WHERE seq_from = 0");
    expect(await store.readEvents('a', -1, 2)).toMatchObject({ last: 1_001, more: true });
    await store.readEvents('a', -1, 2);
    expect(problems).toEqual([expect.stringContaining('Events 0 to 999')]);
  });

  it('among small rows is kept as it is, and hinders no commit', async () => {
    await commitOneByOne(0, 9);
    query("UPDATE events SET data = 'two' || char(10) || 'lines' WHERE seq_to = 4");
    await commitOneByOne(10, 199);
    expect((await store.readEvents('a', -1, 1_000)).lines).toHaveLength(199);
    expect(query("SELECT count(*) AS rows FROM events WHERE data LIKE 'two%'")).toMatchObject([{ rows: 1 }]);
  });

  it('among the other rows is reported and left out of every list', async () => {
    await store.insertSession(makeSession('b'));
    await store.insertSession(makeSession('c'));
    await store.appendAudit({ time: NOON, who: 'x', action: 'y', sessionId: null, detail: {} });
    await store.putRecord('kind', 'key', 1, NOON);
    query(`UPDATE sessions SET options = '{"torn' WHERE id = 'a'`);
    query(`UPDATE sessions SET activity = 'dancing' WHERE id = 'b'`);
    query(`UPDATE audit SET detail = '[]'`);
    query(`UPDATE records SET value = 'torn'`);
    expect((await store.listSessions({ limit: 10 })).rows).toMatchObject([{ id: 'c' }]);
    expect(await store.getSession('a')).toBeNull();
    expect(await store.listUnfinished()).toMatchObject([{ id: 'c' }]);
    expect(await store.readChanges(0, 10)).toMatchObject({ changes: [{ id: 'c' }], last: 3, more: false });
    expect(await store.readAudit({ limit: 10 })).toEqual([]);
    expect(await store.getRecord('kind', 'key')).toBeUndefined();
    expect(await store.listRecords('kind')).toEqual([]);
    expect(problems).toEqual([
      expect.stringMatching(/sessions \(a\)/),
      expect.stringMatching(/sessions \(b\).*activity/),
      expect.stringMatching(/audit entry 1/),
      expect.stringMatching(/record kind key/),
    ]);
  });
});
