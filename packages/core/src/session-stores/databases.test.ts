import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SessionDatabase } from './database.ts';
import { sessionDatabases } from './databases.ts';

const FORM: Omit<SessionDatabase, 'file'> = {
  agent: 'many',
  list: (database) =>
    database
      .prepare('SELECT id FROM messages')
      .all()
      .map(({ id }) => ({ key: String(id), stamp: '1' })),
  read: (_, key) => ({ sessionId: key, messages: [] }),
};

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'databases-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function put(folder: string, id: string): void {
  mkdirSync(join(home, folder), { recursive: true });
  const database = new DatabaseSync(join(home, folder, 'x.db'));
  database.exec(`CREATE TABLE messages (id); INSERT INTO messages VALUES ('${id}')`);
  database.close();
}

describe('store of several databases', () => {
  it('finds one in each folder that has it', async () => {
    put('all/one/in', 'a');
    put('all/two/in', 'b');
    mkdirSync(join(home, 'all/three'));
    const store = sessionDatabases({ ...FORM, places: { root: '~/all', inEachFolder: 'in/x.db' } });
    const refs = await store.find({ HOME: home });
    expect(refs.map(({ key }) => key).sort()).toEqual(['a', 'b']);
    expect(await store.read(refs[0]!)).toMatchObject({ agent: 'many', sessionId: refs[0]?.key });
    expect(await store.find({ HOME: join(home, 'missing') })).toEqual([]);
  });

  it('finds those that a file lists and reports unreadable ones', async () => {
    put('one', 'a');
    mkdirSync(join(home, 'two'));
    writeFileSync(join(home, 'two/x.db'), 'not a database, only some text in a file with its name');
    writeFileSync(join(home, 'list'), ['one', 'two', 'two', 'three'].map((name) => join(home, name)).join('\n'));
    const places = { listedIn: '~/list', folders: (text: string) => text.split('\n'), name: 'x.db' };
    const store = sessionDatabases({ ...FORM, places });
    const refs = await store.find({ HOME: home });
    expect(refs.map(({ path, key }) => [path, key])).toEqual([
      [join(home, 'one/x.db'), 'a'],
      [join(home, 'two/x.db'), undefined],
    ]);
    await expect(store.read(refs[1]!)).rejects.toMatchObject({ code: 'PARSE_ERROR' });
  });
});
