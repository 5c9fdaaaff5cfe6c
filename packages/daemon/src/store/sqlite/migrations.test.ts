import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSession, NOON } from '../suite/fixtures.ts';
import { connect } from './connection.ts';
import { APPLICATION_ID, copyPath, type Step } from './migrations.ts';
import { STEPS } from './schema.ts';
import { openStore } from './sqlite-store.ts';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'migrations-'));
  path = join(folder, 'store.sqlite');
});
afterEach(() => rm(folder, { recursive: true }));

const NOTHING = { now: () => NOON, report: () => {} };
/** Common to every version of the store. */
const REVISION = 'CREATE TABLE revision (rev INTEGER NOT NULL) STRICT; INSERT INTO revision VALUES (7);';
const FIRST: Step = { to: 1, migrate: (db) => db.exec('ALTER TABLE things ADD COLUMN size INTEGER DEFAULT 5') };
const SECOND: Step = { to: 2, migrate: (db) => db.exec('UPDATE things SET size = size * 2') };

/** A database from before versions existed. */
function createOld(): void {
  const db = new DatabaseSync(path);
  db.exec(`PRAGMA application_id = ${APPLICATION_ID}; ${REVISION} CREATE TABLE things (name TEXT);
    INSERT INTO things VALUES ('one'), ('two');`);
  db.close();
}

function readAll(file: string, sql: string): unknown[] {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    return db
      .prepare(sql)
      .all()
      .map((row) => ({ ...row }));
  } finally {
    db.close();
  }
}

const versionIn = (file: string) => readAll(file, 'PRAGMA user_version')[0];

describe('older database', () => {
  it('is copied and then migrated step by step to the newest version', () => {
    createOld();
    const connection = connect(path, { ...NOTHING, steps: [FIRST, SECOND] });
    const rows = connection.prepare('SELECT * FROM things').all();
    connection.db.close();
    expect(rows).toMatchObject([
      { name: 'one', size: 10 },
      { name: 'two', size: 10 },
    ]);
    expect(versionIn(path)).toEqual({ user_version: 2 });
    const copy = copyPath(path, 0);
    expect(copy).toBe(`${path}.v0.bak`);
    expect(readAll(copy, 'SELECT * FROM things')).toEqual([{ name: 'one' }, { name: 'two' }]);
    expect(versionIn(copy)).toEqual({ user_version: 0 });
    if (process.platform !== 'win32') expect(statSync(copy).mode & 0o777).toBe(0o600);
  });

  it('runs only the missing steps', () => {
    createOld();
    connect(path, { ...NOTHING, steps: [FIRST] }).db.close();
    connect(path, { ...NOTHING, steps: [FIRST, SECOND] }).db.close();
    expect(readAll(path, 'SELECT size FROM things')).toEqual([{ size: 10 }, { size: 10 }]);
    expect(readAll(copyPath(path, 1), 'SELECT size FROM things')).toEqual([{ size: 5 }, { size: 5 }]);
  });

  it('stays intact and usable by its program when a step fails', () => {
    createOld();
    const failing: Step = {
      to: 2,
      migrate: (db) => {
        db.exec('DELETE FROM things');
        throw new Error('the step fails');
      },
    };
    expect(() => connect(path, { ...NOTHING, steps: [FIRST, failing] })).toThrow('the step fails');
    expect(versionIn(path)).toEqual({ user_version: 0 });
    expect(readAll(path, 'SELECT * FROM things')).toEqual([{ name: 'one' }, { name: 'two' }]);
    connect(path, { ...NOTHING, steps: [FIRST] }).db.close();
    expect(readAll(path, 'SELECT count(size) AS sizes FROM things')).toEqual([{ sizes: 2 }]);
  });

  it('is not changed if it cannot be copied', async () => {
    createOld();
    // A folder at the path of the temporary copy.
    await mkdir(`${copyPath(path, 0)}.unfinished/inside`, { recursive: true });
    expect(() => connect(path, { ...NOTHING, steps: [FIRST] })).toThrow();
    expect(versionIn(path)).toEqual({ user_version: 0 });
    expect(existsSync(copyPath(path, 0))).toBe(false);
  });
});

describe('version 1 database', () => {
  it('keeps its sessions as started by the daemon, with reported values in their metadata', async () => {
    const first = connect(path, { ...NOTHING, steps: STEPS.slice(0, 1) });
    const columns = first.prepare('SELECT name FROM pragma_table_info(?)').all('sessions');
    expect(columns.map(({ name }) => name)).not.toContain('origin');
    first.db.exec(`INSERT INTO sessions (id, agent, agent_session_id, title, activity, activity_since, is_terminated, parked, pinned, cwd,
      workspace, approval_mode, options, env_names, trust_project, launch, launch_seq, last_seq, turns, tags, metadata, created_at,
      updated_at, last_active_at, rev) VALUES ('a', 'demo', 'n1', 'a title', 'idle', 1, 0, 1, 0, '/x',
      '{"kind":"folder","path":"/x"}', 'prompt', '{}', '[]', 0, 1, 0, 3, 1, '[]', '{"titleBy":"user"}', 1, 1, 1, 1)`);
    first.db.close();
    const store = await openStore(path, NOTHING);
    expect(await store.getSession('a')).toMatchObject({
      origin: 'daemon',
      metadata: { titleBy: 'user', agentSessionId: 'n1', title: 'a title' },
    });
    await store.close();
    expect(versionIn(copyPath(path, 1))).toEqual({ user_version: 1 });
  });
});

describe('version 2 database', () => {
  it('keeps its sessions with paused limits', async () => {
    const { db } = connect(path, { ...NOTHING, steps: STEPS.slice(0, 2) });
    const added = new Set(['waitingFor', 'onLimit', 'budget', 'account', 'dismissed']);
    const made = Object.entries(createSession('a', { activity: 'limited' })).filter(([field]) => !added.has(field));
    const old = Object.fromEntries(made);
    const names = Object.keys(old).map(
      (field) => `"${field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}"`,
    );
    const limit = { message: 'come back later', resetsAt: null };
    const values = Object.values({ ...old, limit }).map((value) =>
      typeof value === 'boolean' ? Number(value) : typeof value === 'object' && value ? JSON.stringify(value) : value,
    );
    db.prepare(`INSERT INTO sessions (${names.join(', ')}, rev) VALUES (${names.map(() => '?').join(', ')}, 1)`).run(
      ...values,
    );
    db.close();
    const store = await openStore(path, NOTHING);
    expect(await store.getSession('a')).toMatchObject({
      onLimit: 'pause',
      budget: null,
      dismissed: null,
      account: null,
      waitingFor: null,
      limit: { ...limit, id: 'before', kind: 'usage', since: NOON, state: 'paused', continuesAt: null },
    });
    await store.close();
  });
});

describe('newest database', () => {
  it('is opened without a copy and keeps its content', async () => {
    const store = await openStore(path, NOTHING);
    await store.insertSession(createSession('a'));
    expect(await store.stats()).toMatchObject({ schemaVersion: STEPS.length });
    await store.close();
    const again = await openStore(path, NOTHING);
    expect(await again.getSession('a')).not.toBeNull();
    expect(await again.revision()).toBe(1);
    await again.close();
    expect(await readdir(folder)).toEqual(['store.sqlite']);
  });

  it('can be closed twice and rejects later calls', async () => {
    const store = await openStore(path, NOTHING);
    await Promise.all([store.sync(), store.close(), store.close()]);
    await expect(store.getSession('a')).rejects.toThrow(/not open/);
  });
});

describe('refused without changes', () => {
  it('newer database, with both versions in the message', async () => {
    await (await openStore(path, NOTHING)).close();
    const db = new DatabaseSync(path);
    db.exec('PRAGMA user_version = 42');
    db.close();
    const before = readFileSync(path);
    const opening = openStore(path, NOTHING);
    await expect(opening).rejects.toMatchObject({ name: 'StoreError', code: 'NEWER' });
    await expect(opening).rejects.toThrow(new RegExp(`version 42.*up to ${STEPS.length}`));
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(await readdir(folder)).toEqual(['store.sqlite']);
  });

  it.each([
    ['text', Buffer.from('This is not a database, but a user wants to keep it.\n'.repeat(100))],
    ['a header without a database', Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(5_000, 7)])],
  ])('is %s', async (_, content) => {
    writeFileSync(path, content);
    await expect(openStore(path, NOTHING)).rejects.toMatchObject({ name: 'StoreError', code: 'CORRUPT' });
    expect(readFileSync(path).equals(content)).toBe(true);
    expect(await readdir(folder)).toEqual(['store.sqlite']);
  });

  it('database with corrupt tables', async () => {
    const store = await openStore(path, NOTHING);
    await store.insertSession(createSession('a'));
    await store.close();
    const broken = readFileSync(path);
    broken.fill(0xa5, 4_096);
    writeFileSync(path, broken);
    await expect(
      openStore(path, NOTHING).then(async (opened) => {
        try {
          await opened.getSession('a');
        } finally {
          await opened.close();
        }
      }),
    ).rejects.toMatchObject({ name: 'StoreError', code: 'CORRUPT' });
  });

  it('database of another program', async () => {
    const db = new DatabaseSync(path);
    db.exec('CREATE TABLE theirs (x)');
    db.close();
    const before = readFileSync(path);
    await expect(openStore(path, NOTHING)).rejects.toMatchObject({ code: 'CORRUPT' });
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it('path whose parent is a file', async () => {
    writeFileSync(join(folder, 'file'), '');
    const opening = openStore(join(folder, 'file', 'store.sqlite'), NOTHING);
    await expect(opening).rejects.toMatchObject({ name: 'StoreError', code: 'CORRUPT' });
  });

  it('folder', async () => {
    await mkdir(path);
    await expect(openStore(path, NOTHING)).rejects.toMatchObject({ code: 'CORRUPT' });
  });
});
