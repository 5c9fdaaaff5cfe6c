import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SESSION_STORE as store } from './sessions.ts';

const SCHEMA = `
CREATE TABLE sessions (id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT NOT NULL, message_count INTEGER NOT NULL DEFAULT 0,
  prompt_tokens INTEGER NOT NULL DEFAULT 0, completion_tokens INTEGER NOT NULL DEFAULT 0, cost REAL NOT NULL DEFAULT 0.0,
  updated_at INTEGER NOT NULL, created_at INTEGER NOT NULL, summary_message_id TEXT, todos TEXT);
CREATE TABLE messages (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, role TEXT NOT NULL, parts TEXT NOT NULL default '[]',
  model TEXT, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, finished_at INTEGER, provider TEXT,
  is_summary_message INTEGER DEFAULT 0 NOT NULL);`;

const PARTS: readonly (readonly [string, string, readonly object[]])[] = [
  ['m1', 'user', [{ type: 'text', data: { text: 'List the files.' } }]],
  [
    'm2',
    'assistant',
    [
      { type: 'reasoning', data: { thinking: 'Where?' } },
      { type: 'text', data: { text: 'I look.' } },
      { type: 'tool_call', data: { id: 'c1', name: 'bash', input: '{"command":"exit 3"}', finished: true } },
      { type: 'finish', data: { reason: 'tool_use', time: 1794805962 } },
    ],
  ],
  [
    'm3',
    'tool',
    [{ type: 'tool_result', data: { tool_call_id: 'c1', name: 'bash', content: 'failed', is_error: true } }],
  ],
  ['m4', 'assistant', [{ type: 'text', data: { text: 'It failed.' } }]],
];

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'crush-home-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function project(name: string): string {
  const folder = join(home, name, '.crush');
  mkdirSync(folder, { recursive: true });
  const database = new DatabaseSync(join(folder, 'crush.db'));
  database.exec(SCHEMA);
  const add = database.prepare(
    'INSERT INTO sessions (id, parent_session_id, title, cost, updated_at, created_at) VALUES (?, ?, ?, ?, ?, ?)',
  );
  add.run(`${name}-1`, null, 'Files', 0.02, 1794805970, 1794805961);
  add.run(`${name}-2`, `${name}-1`, 'an errand', 0, 1794805965, 1794805964);
  const say = database.prepare(
    'INSERT INTO messages (id, session_id, role, parts, model, created_at, updated_at) VALUES (?, ?, ?, ?, ?, 1794805961, 1794805961)',
  );
  for (const [id, role, parts] of PARTS)
    say.run(id, `${name}-1`, role, JSON.stringify(parts), role === 'assistant' ? 'gpt-5' : null);
  database.close();
  return folder;
}

function list(projects: readonly object[]): void {
  const folder = join(home, '.local/share/crush');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'projects.json'), JSON.stringify({ projects }));
}

function change(name: string, sql: string): void {
  const database = new DatabaseSync(join(home, name, '.crush', 'crush.db'));
  database.exec(sql);
  database.close();
}

describe('stored sessions of Crush', () => {
  it('lists those of all registered projects, without subagent sessions', async () => {
    list([
      { path: join(home, 'one'), data_dir: project('one') },
      { path: join(home, 'two'), data_dir: project('two') },
      { path: join(home, 'gone'), data_dir: join(home, 'gone', '.crush') },
    ]);
    expect((await store.find({ HOME: home })).map(({ key }) => key)).toEqual(['one-1', 'two-1']);
  });

  it('lists none if it was never used', async () => {
    expect(await store.find({ HOME: home })).toEqual([]);
  });

  it('reads thinking, tool calls and price', async () => {
    list([{ path: join(home, 'one'), data_dir: project('one') }]);
    const [ref] = await store.find({ HOME: home });
    const session = await store.read(ref!);
    expect(session).toMatchObject({
      agent: 'crush',
      sessionId: 'one-1',
      title: 'Files',
      cwd: join(home, 'one'),
      model: 'gpt-5',
      createdAt: 1794805961000,
      updatedAt: 1794805970000,
      costUsd: 0.02,
    });
    expect(session.messages.map(({ role, text, thinking }) => [role, text, thinking])).toEqual([
      ['user', 'List the files.', undefined],
      ['assistant', 'I look.', 'Where?'],
      ['assistant', 'It failed.', undefined],
    ]);
    expect(session.messages[1]?.toolCalls).toEqual([
      { toolCallId: 'c1', toolName: 'bash', input: { command: 'exit 3' }, output: 'failed', isError: true },
    ]);
  });

  it('changes the stamp when an answer grows within the same second', async () => {
    list([{ path: join(home, 'one'), data_dir: project('one') }]);
    const [before] = await store.find({ HOME: home });
    change(
      'one',
      `UPDATE messages SET parts = '[{"type":"text","data":{"text":"It failed. Again."}}]' WHERE id = 'm4'`,
    );
    expect((await store.find({ HOME: home }))[0]?.stamp).not.toBe(before?.stamp);
  });

  it('shows a summary and keeps the rest when one message is broken', async () => {
    list([{ path: join(home, 'one'), data_dir: project('one') }]);
    change(
      'one',
      `UPDATE messages SET parts = '[{' WHERE id = 'm1'; UPDATE messages SET is_summary_message = 1 WHERE id = 'm4'`,
    );
    const [ref] = await store.find({ HOME: home });
    const { messages, warnings } = await store.read(ref!);
    expect(warnings).toEqual(['message m1 is not JSON']);
    expect(messages.map(({ role }) => role)).toEqual(['assistant', 'system']);
  });

  it('warns about a broken database and keeps the sessions of other projects', async () => {
    const broken = join(home, 'two', '.crush');
    mkdirSync(broken, { recursive: true });
    writeFileSync(join(broken, 'crush.db'), 'not a database, but long enough to look like one at first sight');
    list([{ data_dir: broken }, { data_dir: project('one') }]);
    const refs = await store.find({ HOME: home });
    expect(refs.map(({ key }) => key)).toEqual([undefined, 'one-1']);
    await expect(store.read(refs[0]!)).rejects.toMatchObject({ code: 'PARSE_ERROR' });
  });
});
