import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Session } from '@agent-mux/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SESSION_STORE as store } from './sessions.ts';

/** The first schema, and the relevant additions up to version 30. */
const FIRST = `
CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT NOT NULL, model TEXT, model_config TEXT, system_prompt TEXT,
  parent_session_id TEXT, started_at REAL NOT NULL, ended_at REAL, end_reason TEXT, message_count INTEGER DEFAULT 0,
  input_tokens INTEGER DEFAULT 0, output_tokens INTEGER DEFAULT 0);
CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, role TEXT NOT NULL, content TEXT,
  tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL NOT NULL);`;
const LATER = `
ALTER TABLE sessions ADD COLUMN title TEXT; ALTER TABLE sessions ADD COLUMN cwd TEXT;
ALTER TABLE sessions ADD COLUMN hidden INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN cache_read_tokens INTEGER DEFAULT 0;
ALTER TABLE sessions ADD COLUMN cache_write_tokens INTEGER DEFAULT 0;
ALTER TABLE sessions ADD COLUMN estimated_cost_usd REAL; ALTER TABLE sessions ADD COLUMN actual_cost_usd REAL;
ALTER TABLE messages ADD COLUMN reasoning TEXT; ALTER TABLE messages ADD COLUMN active INTEGER NOT NULL DEFAULT 1;
ALTER TABLE messages ADD COLUMN compacted INTEGER NOT NULL DEFAULT 0; ALTER TABLE messages ADD COLUMN display_kind TEXT;
ALTER TABLE messages ADD COLUMN _compressed_summary INTEGER NOT NULL DEFAULT 0;`;

let home: string;
let path: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'hermes-home-'));
  path = store.root({ HOME: home });
  mkdirSync(dirname(path), { recursive: true });
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function change(sql: string): void {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
}

function say(role: string, content: string | null, more: Record<string, string | number> = {}): void {
  const row = { session_id: 's1', role, content, timestamp: 1794805961.25, ...more };
  const database = new DatabaseSync(path);
  const names = Object.keys(row);
  database
    .prepare(`INSERT INTO messages (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`)
    .run(...Object.values(row));
  database.close();
}

const read = (): Promise<Session> => store.read({ path, key: 's1', stamp: '' });

describe('stored sessions of Hermes Agent', () => {
  beforeEach(() =>
    change(`${FIRST}${LATER}
      INSERT INTO sessions (id, source, model, system_prompt, started_at, input_tokens, output_tokens, cache_read_tokens, title, cwd, estimated_cost_usd)
      VALUES ('s1', 'acp', 'anthropic/claude', 'the prompt of the vendor', 1794805960.5, 100, 20, 7, 'Files', '/workspace', 0.02)`),
  );

  it('lists user sessions, without those of subagents and hidden ones', async () => {
    change(`INSERT INTO sessions (id, source, started_at) VALUES ('s2', 'cli', 1794805970), ('s3', 'subagent', 1), ('s4', 'tool', 1);
      INSERT INTO sessions (id, source, started_at, hidden) VALUES ('s5', 'cli', 1, 1)`);
    expect((await store.find({ HOME: home })).map(({ key }) => key)).toEqual(['s2', 's1']);
  });

  it('reads thinking, tool calls, tokens and price, without the vendor prompt', async () => {
    say('system', 'the prompt of the vendor');
    say('user', '\0json:[{"type":"text","text":"List the files."},{"type":"image_url","image_url":{}}]');
    const calls = JSON.stringify([{ id: 'c1', function: { name: 'terminal', arguments: '{"command":"ls"}' } }]);
    say('assistant', 'I look.', { tool_calls: calls, reasoning: 'Where?' });
    say('tool', 'a.txt', { tool_call_id: 'c1', tool_name: 'terminal' });
    say('user', 'meant for the model', { display_kind: 'hidden' });
    say('assistant', 'One file.', { timestamp: 1794805970 });
    const session = await read();
    expect(session).toMatchObject({
      agent: 'hermes',
      title: 'Files',
      cwd: '/workspace',
      model: 'anthropic/claude',
      createdAt: 1794805960500,
      updatedAt: 1794805970000,
      usage: { inputTokens: 100, outputTokens: 20, cacheReadTokens: 7 },
      costUsd: 0.02,
    });
    expect(session.messages.map(({ role, text, thinking }) => [role, text, thinking])).toEqual([
      ['user', 'List the files.', undefined],
      ['assistant', 'I look.', 'Where?'],
      ['assistant', 'One file.', undefined],
    ]);
    expect(session.messages[1]?.toolCalls).toEqual([
      { toolCallId: 'c1', toolName: 'terminal', input: { command: 'ls' }, output: 'a.txt' },
    ]);
    expect(JSON.stringify(session)).not.toContain('vendor');
  });

  it('shows messages before a compaction once, and no rewound ones', async () => {
    say('user', 'First.', { active: 0, compacted: 1 });
    say('assistant', 'One.', { active: 0, compacted: 1 });
    say('user', 'Taken back.', { active: 0 });
    say('user', '[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns', { _compressed_summary: 1 });
    say('assistant', 'One.');
    say('user', 'Second.');
    const { messages } = await read();
    expect(messages.map(({ role, text }) => [role, text])).toEqual([
      ['user', 'First.'],
      ['assistant', 'One.'],
      ['system', 'The conversation so far was summarized.'],
      ['user', 'Second.'],
    ]);
  });

  it('keeps the rest when the calls of one message are broken, and changes with every message', async () => {
    const [before] = await store.find({ HOME: home });
    say('assistant', 'I look.', { tool_calls: '[{' });
    const { messages, warnings } = await read();
    expect(warnings).toEqual(['the tool calls of message 1 are not JSON']);
    expect(messages).toHaveLength(1);
    expect((await store.find({ HOME: home }))[0]?.stamp).not.toBe(before?.stamp);
  });
});

describe('stored sessions of an early Hermes Agent', () => {
  it('are read from the existing columns', async () => {
    change(`${FIRST} INSERT INTO sessions (id, source, started_at) VALUES ('s1', 'cli', 1794805960)`);
    say('user', 'Hello.');
    say('assistant', 'Hi.');
    expect((await store.find({ HOME: home })).map(({ key }) => key)).toEqual(['s1']);
    expect((await read()).messages.map(({ text }) => text)).toEqual(['Hello.', 'Hi.']);
  });
});
