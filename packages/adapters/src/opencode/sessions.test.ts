import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import type { Session } from '@agent-mux/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openCodeAdapter } from './index.ts';

const sessionStore = openCodeAdapter.sessionStore!;
const RECORDED = new URL('./recordings/sessions.sql', import.meta.url);
let home: string;
let env: NodeJS.ProcessEnv;
let file: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'opencode-home-'));
  env = { HOME: home };
  file = join(home, '.local/share/opencode/opencode.db');
  mkdirSync(dirname(file), { recursive: true });
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** With the data of the real CLI. */
function createDatabase(path: string): void {
  using database = new DatabaseSync(path);
  database.exec(`PRAGMA journal_mode = WAL; BEGIN; ${readFileSync(RECORDED, 'utf8')} COMMIT;`);
}

async function readAll(): Promise<Map<string | undefined, Session>> {
  const refs = await sessionStore.find(env);
  const sessions = await Promise.all(refs.map((ref) => sessionStore.read(ref)));
  return new Map(sessions.map((session) => [session.title, session]));
}

async function readOne(title: string): Promise<Session> {
  const session = (await readAll()).get(title);
  if (!session) throw new Error(`no session ${title}`);
  return session;
}

async function stampOf(key: string): Promise<string | undefined> {
  return (await sessionStore.find(env)).find((ref) => ref.key === key)?.stamp;
}

describe('stored sessions of OpenCode', () => {
  it('are none if it was never used', async () => {
    expect(await sessionStore.find(env)).toEqual([]);
  });

  it('are those of the database that a variable names', async () => {
    const other = join(home, 'other.db');
    createDatabase(other);
    expect(await sessionStore.find({ ...env, OPENCODE_DB: other })).toHaveLength(6);
    expect(sessionStore.root({ ...env, OPENCODE_DB: 'second.db' })).toBe(join(dirname(file), 'second.db'));
    expect(sessionStore.root({ ...env, OPENCODE_DB: ':memory:' })).toBe(file);
  });

  describe('written by the real CLI', () => {
    beforeEach(() => createDatabase(file));

    it('have title, folder, model, times, tokens and price', async () => {
      const { messages, ...facts } = await readOne('All kinds');
      expect(facts).toEqual({
        agent: 'opencode',
        sessionId: 'ses_e1d3870b5ffesLtlklr6lCYyac',
        title: 'All kinds',
        cwd: '/workspace',
        model: 'lab/scripted-model',
        createdAt: 1794806091594,
        updatedAt: 1794806107923,
        usage: {
          inputTokens: 2000,
          outputTokens: 340,
          cacheReadTokens: 10_000,
          cacheCreationTokens: 0,
          totalTokens: 12_340,
        },
        costUsd: expect.closeTo(0.0141, 10),
      });
      expect(messages.filter(({ role }) => role === 'user')).toHaveLength(7);
    });

    it('have thinking, tool calls with their results, and failures', async () => {
      const { messages } = await readOne('All kinds');
      expect(messages[1]).toMatchObject({
        role: 'assistant',
        thinking: 'I wonder about this',
        text: 'PONG: think a bit [[think I wonder about this]]',
        model: 'lab/scripted-model',
        usage: { totalTokens: 1234 },
        costUsd: 0.00141,
      });
      expect(messages.flatMap(({ toolCalls = [] }) => toolCalls)).toEqual([
        { toolCallId: 'call_2', toolName: 'bash', input: { command: 'echo hi', description: 'x' }, output: 'hi\n' },
        {
          toolCallId: 'call_4',
          toolName: 'read',
          input: { filePath: '/workspace/none.txt' },
          output: 'File not found: /workspace/none.txt',
          isError: true,
        },
        expect.objectContaining({ toolName: 'bash', output: '(no output)' }),
        expect.objectContaining({ toolName: 'task', output: expect.stringContaining('PONG: child prompt') }),
      ]);
      expect(messages).toContainEqual({ role: 'system', text: 'scripted 401', timestamp: 1794806106681 });
    });

    it('show the text of the user, without text that the CLI added', async () => {
      const all = JSON.stringify([...(await readAll()).values()]);
      expect(all).toContain('with a file');
      for (const own of ['Called the Read tool', '"note content"', 'MY OWN SYSTEM WORDS', 'executed by the user']) {
        expect(all).not.toContain(own);
      }
    });

    it('name the parent session of a subagent', async () => {
      const child = await readOne('d (@general subagent)');
      expect(child.parentSessionId).toBe('ses_e1d3870b5ffesLtlklr6lCYyac');
      expect(child.messages.map(({ text }) => text)).toEqual(['child prompt', 'PONG: child prompt']);
    });

    it('continue before a rewind, whose messages are a separate branch', async () => {
      const { messages, branches, costUsd } = await readOne('Reverted');
      expect(messages.map(({ text }) => text)).toEqual(['first', 'PONG: first']);
      expect(branches?.map(({ active, messages: own }) => [active, own.length])).toEqual([
        [false, 4],
        [true, 2],
      ]);
      expect(costUsd).toBeCloseTo(0.00282);
    });

    it('show a note in place of a summary, with its cost', async () => {
      const { messages } = await readOne('Compacted');
      expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'system', 'user', 'assistant']);
      expect(messages[2]).toMatchObject({ text: 'The conversation so far was summarized.', costUsd: 0.00141 });
    });

    it('keep messages up to an interrupt', async () => {
      const { messages } = await readOne('Aborted');
      expect(messages[1]?.text).toMatch(/^c0 xx c1 xx/);
      expect(messages[2]).toMatchObject({ role: 'system', text: 'Aborted' });
    });

    it('have no title until a model has found one', async () => {
      using database = new DatabaseSync(file);
      database.exec(`UPDATE session SET title = 'New session - 2026-11-16T05:13:36.164Z' WHERE title = 'Shell'`);
      expect([...(await readAll()).keys()]).toContain(undefined);
    });

    it('skip a broken row', async () => {
      using database = new DatabaseSync(file);
      database.exec(`UPDATE part SET data = '{"type":"te' WHERE id = 'prt_1e2c7b430001ld2L4f2LKMzkqI'`);
      const { warnings, messages } = await readOne('All kinds');
      expect(warnings).toEqual(['part prt_1e2c7b430001ld2L4f2LKMzkqI is not JSON']);
      expect(messages.filter(({ role }) => role === 'user')).toHaveLength(7);
    });

    it('change the stamp with every update, also while an answer grows', async () => {
      const key = 'ses_e1d37fabcffebY4xbNc6kDtC0M';
      using database = new DatabaseSync(file);
      const stamps = new Set([await stampOf(key)]);
      for (const change of [
        `UPDATE session SET time_updated = time_updated + 1 WHERE id = '${key}'`,
        `UPDATE part SET time_updated = 1794806199000 WHERE id = 'prt_1e2c808df001ZDGfJd1lzO245B'`,
        `UPDATE message SET time_updated = 1794806199001 WHERE id = 'msg_1e2c807e2001pXcUj97OCIWP7c'`,
        `UPDATE event_sequence SET seq = seq + 1 WHERE aggregate_id = '${key}'`,
        'DROP TABLE event_sequence',
      ]) {
        database.exec(change);
        stamps.add(await stampOf(key));
      }
      expect(stamps.size).toBe(6);
      expect(stamps).not.toContain(undefined);
    });

    it('are consistent while another process writes', { timeout: 120_000 }, async () => {
      const key = 'ses_e1d381ebbffeZ6zjVjx0m0XHeI';
      const writer = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', '-e', WRITER, file, key]);
      try {
        const [ready] = await once(createInterface(writer.stdout), 'line');
        expect(ready).toBe('ready');
        const seen = new Set<string | undefined>();
        while (seen.size < 50) {
          const stamp = await stampOf(key);
          const { messages, warnings } = await sessionStore.read({ path: file, key, stamp: stamp ?? '' });
          expect(warnings).toBeUndefined();
          const states = new Set(
            messages.flatMap(({ role, model, text }) => (role === 'assistant' ? [model, text] : [])),
          );
          expect([...states]).toEqual([`lab/${[...states].at(-1)}`, [...states].at(-1)]);
          seen.add(stamp);
        }
      } finally {
        writer.kill('SIGKILL');
        await once(writer, 'exit');
      }
    });
  });
});

/** Every transaction gives all messages of a session and all their parts the same next number. */
const WRITER = `
const { DatabaseSync } = require('node:sqlite');
const [file, key] = process.argv.slice(1);
const database = new DatabaseSync(file, { timeout: 5000 });
const message = database.prepare("UPDATE message SET time_updated = ?, data = json_set(data, '$.modelID', ?) WHERE session_id = ? AND data ->> '$.role' = 'assistant'");
const part = database.prepare("UPDATE part SET time_updated = ?, data = json_set(data, '$.text', ?) WHERE session_id = ? AND data ->> '$.type' = 'text'");
const write = (number) => {
  database.exec('BEGIN IMMEDIATE');
  message.run(number, 'v' + number, key);
  part.run(number, 'v' + number, key);
  database.exec('COMMIT');
};
write(0);
console.log('ready');
for (let number = 1; ; number += 1) write(number);
`;
