import { spawn } from 'node:child_process';
import { appendFileSync, chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { databaseOf, filesOf, StoringAdapter } from '../../test/session-agents.ts';
import { sessionHome } from '../../test/session-home.ts';
import type { SessionStore } from '../contract/sessions.ts';

const LISTER = fileURLToPath(new URL('../../test/list-sessions.ts', import.meta.url));
const hello = [{ user: 'hello' }, { assistant: 'hi there' }];

/** A store that counts its reads. */
function counted(store: SessionStore): { store: SessionStore; reads: string[] } {
  const reads: string[] = [];
  return {
    reads,
    store: {
      ...store,
      read(ref) {
        reads.push(ref.path);
        return store.read(ref);
      },
    },
  };
}

function acme() {
  const home = sessionHome();
  const { store, reads } = counted(filesOf('acme'));
  const client = () => home.client(new StoringAdapter('acme', store));
  const ids = async () => (await client().sessions.list()).sessions.map(({ sessionId }) => sessionId).sort();
  return { ...home, reads, client, ids };
}

describe('session index', () => {
  it('reads a session once until it changes', async () => {
    const { write, client, reads, ids } = acme();
    const one = write('acme', 'one', hello);
    write('acme', 'two', hello);
    expect(await ids()).toEqual(['one', 'two']);
    expect(await ids()).toEqual(['one', 'two']);
    expect(reads).toHaveLength(2);
    appendFileSync(one, `${JSON.stringify({ user: 'and more' })}\n`);
    expect((await client().sessions.list()).sessions.find(({ sessionId }) => sessionId === 'one')?.messageCount).toBe(
      3,
    );
    expect(reads.slice(2)).toEqual([one]);
  });

  it('removes deleted sessions and their text', async () => {
    const { write, client, ids, index } = acme();
    const path = write('acme', 'one', [{ user: 'an unforgettable pangolin' }]);
    write('acme', 'two', hello);
    expect((await client().sessions.search('pangolin')).hits).toHaveLength(1);
    rmSync(path);
    expect(await ids()).toEqual(['two']);
    expect((await client().sessions.search('pangolin')).hits).toEqual([]);
    expect(readFileSync(index).includes('pangolin')).toBe(false);
  });

  it('is readable only by the user', async () => {
    const { write, ids, index } = acme();
    write('acme', 'one', hello);
    await ids();
    expect(statSync(index).mode & 0o777).toBe(0o600);
    chmodSync(index, 0o644);
    await ids();
    expect(statSync(index).mode & 0o777).toBe(0o600);
  });

  it('reports a file that is not a session and lists the others', async () => {
    const { write, client, home, reads } = acme();
    write('acme', 'good', hello);
    const bad = join(home, '.acme', 'bad.jsonl');
    writeFileSync(bad, '\u0000\u0001 not json');
    for (let round = 0; round < 3; round += 1) {
      const { sessions, problems } = await client().sessions.list();
      expect(sessions.map(({ sessionId }) => sessionId)).toEqual(['good']);
      expect(problems).toEqual([
        { agent: 'acme', path: bad, problem: expect.stringContaining('is not a acme session') },
      ]);
    }
    expect(reads.filter((path) => path === bad)).toHaveLength(1);
    write('acme', 'bad', hello);
    const { sessions, problems } = await client().sessions.list();
    expect({ count: sessions.length, problems }).toEqual({ count: 2, problems: [] });
  });

  it('keeps its entry of a session that is being written', async () => {
    const { write, client, ids } = acme();
    const path = write('acme', 'one', hello);
    await ids();
    writeFileSync(path, '{"kind":"ses');
    const { sessions, problems } = await client().sessions.list();
    expect(sessions).toMatchObject([{ sessionId: 'one', messageCount: 2 }]);
    expect(problems).toHaveLength(1);
  });

  it('reads the complete lines of a half-written file', async () => {
    const { write, client } = acme();
    appendFileSync(write('acme', 'one', hello), '{"user":"not yet');
    expect((await client().sessions.list()).sessions).toMatchObject([{ messageCount: 2 }]);
  });

  it.each([
    [
      'is not a database',
      (file: string) => writeFileSync(file, 'this is not a database, and long enough to be opened'.repeat(50)),
    ],
    ['was cut off', (file: string) => writeFileSync(file, readFileSync(file).subarray(0, 5000))],
    [
      'is of another version',
      (file: string) => {
        using database = new DatabaseSync(file);
        database.exec('PRAGMA user_version = 99; ALTER TABLE sessions RENAME COLUMN stamp TO seal; DROP TABLE usage');
      },
    ],
    [
      'has lost a table',
      (file: string) => {
        using database = new DatabaseSync(file);
        database.exec('DROP TABLE texts');
      },
    ],
  ])('is recreated if it %s', async (_, damage) => {
    const { write, client, ids, index, reads } = acme();
    write('acme', 'one', hello);
    await ids();
    for (const end of ['-wal', '-shm']) rmSync(`${index}${end}`, { force: true });
    damage(index);
    const { sessions, problems } = await client().sessions.list();
    expect({ count: sessions.length, problems }).toEqual({ count: 1, problems: [] });
    expect(await client().sessions.search('hello')).toMatchObject({ hits: [{}], problems: [] });
    expect(reads.length).toBeGreaterThanOrEqual(2);
    const before = reads.length;
    await ids();
    expect(reads).toHaveLength(before);
  });

  it('reports that it cannot be written and works without', async () => {
    const { write, client, index } = acme();
    write('acme', 'one', hello);
    mkdirSync(dirname(dirname(index)), { recursive: true });
    writeFileSync(dirname(index), 'a file where the folder should be');
    const { sessions } = client();
    for (let round = 0; round < 2; round += 1) {
      const listed = await sessions.list();
      expect(listed.sessions).toHaveLength(1);
      expect(listed.problems).toEqual([
        { path: index, problem: expect.stringContaining('cannot use the session index') },
      ]);
    }
  });

  it('reports that it is locked and works without', async () => {
    const { write, client, ids, index } = acme();
    write('acme', 'one', hello);
    await ids();
    write('acme', 'two', hello);
    using locker = new DatabaseSync(index);
    locker.exec('BEGIN EXCLUSIVE');
    const { sessions, problems } = await client().sessions.list();
    expect(sessions).toHaveLength(2);
    expect(problems).toEqual([{ path: index, problem: expect.stringContaining('locked') }]);
    locker.exec('ROLLBACK');
    expect((await client().sessions.list()).problems).toEqual([]);
  });

  it('can be updated by several processes at once', { timeout: 90_000 }, async () => {
    const { write, home, ids } = acme();
    for (let i = 0; i < 600; i += 1) write('acme', `s${i}`, [{ user: `number ${i} `.repeat(50) }, ...hello]);
    const outputs = await Promise.all([1, 2, 3].map(() => listInProcess(home)));
    for (const one of outputs) expect(JSON.parse(one)).toEqual({ total: 600, problems: [] });
    expect(await ids()).toHaveLength(600);
  });

  it('reports its progress', async () => {
    const { write, client } = acme();
    for (let i = 0; i < 40; i += 1) write('acme', `s${i}`, hello);
    const onProgress = vi.fn();
    await client().sessions.list({ onProgress });
    expect(onProgress.mock.calls).toEqual([
      [0, 40],
      [32, 40],
    ]);
  });
});

describe('sessions in a database', () => {
  it('are read while the agent writes', async () => {
    const { database, client } = sessionHome();
    using agent = database('base');
    const say = agent.prepare('INSERT INTO messages VALUES (?, ?)');
    say.run('a', 'first');
    say.run('b', 'other');
    const sessions = () => client(new StoringAdapter('base', databaseOf('base'))).sessions;
    agent.exec('BEGIN IMMEDIATE');
    say.run('a', 'not yet committed');
    const listed = await sessions().list();
    expect(listed.problems).toEqual([]);
    expect(listed.sessions.map(({ key, messageCount }) => [key, messageCount]).sort()).toEqual([
      ['a', 1],
      ['b', 1],
    ]);
    agent.exec('COMMIT');
    expect((await sessions().get('a')).messages.map(({ text }) => text)).toEqual(['first', 'not yet committed']);
    expect((await sessions().summary('a')).messageCount).toBe(2);
    await expect(sessions().delete('a')).rejects.toMatchObject({ code: 'CAPABILITY_ERROR' });
  });

  it('stay listed if the store is temporarily unreadable', async () => {
    const { database, client, home } = sessionHome();
    const agent = database('base');
    agent.prepare('INSERT INTO messages VALUES (?, ?)').run('a', 'first');
    agent.close();
    const sessions = () => client(new StoringAdapter('base', databaseOf('base'))).sessions;
    await sessions().list();
    writeFileSync(join(home, '.base', 'store.db'), 'broken '.repeat(1000));
    const { sessions: found, problems } = await sessions().list();
    expect(found).toHaveLength(1);
    expect(problems).toMatchObject([{ agent: 'base', problem: expect.stringContaining('cannot read') }]);
  });
});

function listInProcess(home: string): Promise<string> {
  const args = ['--conditions=agent-mux-source', '--disable-warning=ExperimentalWarning', LISTER, home];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  return new Promise((resolve, reject) => {
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    child.on('error', reject).on('close', () => resolve(output));
  });
}
