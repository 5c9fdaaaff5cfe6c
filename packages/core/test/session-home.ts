import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type BaseAgentAdapter, type Client, createClient } from '@agent-mux/core';
import { afterAll } from 'vitest';

export interface SessionHome {
  home: string;
  env: NodeJS.ProcessEnv;
  index: string;
  /** Writes a complete session file and returns its path. */
  write(agent: string, id: string, lines: readonly unknown[], head?: Record<string, unknown>): string;
  database(agent: string): DatabaseSync;
  client(...adapters: BaseAgentAdapter[]): Client;
}

const homes: string[] = [];
afterAll(() => {
  for (const home of homes) rmSync(home, { recursive: true, force: true });
});

/** A separate user. */
export function sessionHome(): SessionHome {
  const home = mkdtempSync(join(tmpdir(), 'agent-mux-sessions-'));
  homes.push(home);
  const env = { HOME: home };
  return {
    home,
    env,
    index: join(home, '.cache', 'agent-mux', 'sessions.db'),
    write(agent, id, lines, head = {}) {
      const path = join(home, `.${agent}`, `${id}.jsonl`);
      mkdirSync(dirname(path), { recursive: true });
      const all = [{ kind: 'session', ...head }, ...lines];
      writeFileSync(path, all.map((line) => `${JSON.stringify(line)}\n`).join(''));
      return path;
    },
    database(agent) {
      mkdirSync(join(home, `.${agent}`), { recursive: true });
      const database = new DatabaseSync(join(home, `.${agent}`, 'store.db'));
      database.exec('PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS messages (session TEXT, text TEXT)');
      return database;
    },
    client: (...adapters) => createClient({ adapters, env, runIndex: false }),
  };
}
