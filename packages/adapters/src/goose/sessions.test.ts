import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Session } from '@agent-mux/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gooseAdapter } from './index.ts';

const store = gooseAdapter.sessionStore!;
let home: string;
let path: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'goose-home-'));
  path = store.root({ HOME: home });
  mkdirSync(dirname(path), { recursive: true });
  change(readFileSync(new URL('./recordings/sessions.sql', import.meta.url), 'utf8'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function change(sql: string): void {
  const database = new DatabaseSync(path);
  database.exec(`PRAGMA synchronous = OFF; ${sql}`);
  database.close();
}

const read = (key: string): Promise<Session> => store.read({ path, key, stamp: '' });

describe('stored sessions of goose', () => {
  it('lists user sessions, the newest first, without hidden ones', async () => {
    const keys = (await store.find({ HOME: home })).map(({ key }) => key);
    expect(keys).toEqual(['20261116_9', '20261116_5', '20261116_2']);
  });

  it('changes the stamp with a new message, even within the same second', async () => {
    const before = await store.find({ HOME: home });
    change(
      `INSERT INTO messages (session_id, role, content_json, created_timestamp) VALUES ('20261116_5', 'user', '[]', 0)`,
    );
    const after = await store.find({ HOME: home });
    const changed = after.filter(({ stamp }, index) => stamp !== before[index]?.stamp);
    expect(changed.map(({ key }) => key)).toEqual(['20261116_5']);
  });

  it('reads thinking, tool calls, tokens and price', async () => {
    const session = await read('20261116_2');
    expect(session).toMatchObject({
      agent: 'goose',
      sessionId: '20261116_2',
      title: 'Calling a tool.',
      cwd: '/workspace',
      model: 'gpt-4o',
      createdAt: Date.parse('2026-11-16T05:12:57Z'),
      updatedAt: Date.parse('2026-11-16T05:13:07Z'),
      usage: { inputTokens: 3600, outputTokens: 102, totalTokens: 3702 },
      costUsd: 0.010020000000000001,
    });
    expect(session.messages.map(({ role, text, thinking }) => [role, text.trim(), thinking])).toEqual([
      ['user', expect.stringContaining('[[tool shell'), undefined],
      ['assistant', 'Calling a tool.', 'hmm let me see'],
      ['assistant', '', undefined],
      ['assistant', expect.stringContaining('TOOL RESULT: hi'), undefined],
      ['user', 'second turn', undefined],
      ['assistant', 'PONG: second turn', undefined],
    ]);
    expect(session.messages[2]?.toolCalls).toEqual([
      {
        toolCallId: 'call_1',
        toolName: 'shell',
        input: { command: 'echo hi; exit 3' },
        output: 'hi\n\nCommand exited with code 3',
        isError: true,
      },
    ]);
  });

  it('shows a compaction without its instructions and without repeating a prompt', async () => {
    const { messages } = await read('20261116_9');
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'system', 'user', 'assistant', 'assistant']);
    expect(JSON.stringify(messages)).not.toContain('Your context was compacted');
    expect(messages.filter(({ text }) => text.includes('echo 1'))).toHaveLength(1);
  });

  it('has no title before the model has set one', async () => {
    change(`UPDATE sessions SET name = 'CLI Session' WHERE id = '20261116_5'`);
    expect((await read('20261116_5')).title).toBeUndefined();
  });

  it('keeps the rest when one message is broken', async () => {
    change(`UPDATE messages SET content_json = '[{"type":' WHERE id = 16`);
    const { messages, warnings } = await read('20261116_5');
    expect(warnings).toEqual(['message 16 is not JSON']);
    expect(messages).toHaveLength(3);
  });

  it('cannot be deleted one by one, since they share a file', () => {
    expect(store.remove).toBeUndefined();
  });
});
