import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Session } from '@agent-mux/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { kiloAdapter } from './index.ts';

const sessionStore = kiloAdapter.sessionStore!;
const RECORDED = new URL('./recordings/sessions.sql', import.meta.url);
let home: string;
let env: NodeJS.ProcessEnv;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'kilo-home-'));
  env = { HOME: home };
  const file = join(home, '.local/share/kilo/kilo.db');
  mkdirSync(dirname(file), { recursive: true });
  createDatabase(file);
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** With the data of the real CLI. */
function createDatabase(path: string): void {
  using database = new DatabaseSync(path);
  database.exec(`PRAGMA journal_mode = WAL; BEGIN; ${readFileSync(RECORDED, 'utf8')} COMMIT;`);
}

async function readAll(): Promise<Session[]> {
  return Promise.all((await sessionStore.find(env)).map((ref) => sessionStore.read(ref)));
}

async function readOne(title: string): Promise<Session> {
  const session = (await readAll()).find((one) => one.title === title);
  if (!session) throw new Error(`no session ${title}`);
  return session;
}

describe('stored sessions of Kilo', () => {
  it('have the earlier conversation and only the added price after a fork', async () => {
    const fork = await readOne('All kinds (fork #1)');
    expect(fork).toMatchObject({
      agent: 'kilo',
      cwd: '/workspace',
      model: 'lab/scripted-model',
      usage: { totalTokens: 1234 },
      costUsd: 0.00141,
    });
    expect(fork.messages.filter(({ role }) => role === 'user')).toHaveLength(3);
    expect(fork.messages[1]).not.toHaveProperty('usage');
  });

  it('do not count the cost of a subagent, which has its own session', async () => {
    const { messages } = await readOne('All kinds');
    expect(messages[1]).toMatchObject({ toolCalls: [{ toolName: 'task' }], costUsd: 0.00141 });
    expect(await readOne('d (@general subagent)')).toHaveProperty('parentSessionId');
  });

  it('hide the reminders that the CLI puts into prompts', async () => {
    const all = JSON.stringify(await readAll());
    expect(all).toContain('after compaction');
    expect(all).not.toContain('system-reminder');
  });
});
