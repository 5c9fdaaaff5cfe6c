import { chmod, mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { cacheFolder, homeOf } from '../files/paths.ts';
import { isRecord } from '../values.ts';

/** Increase with every change of the tables, and whenever parsers read the same file differently. */
const INDEX_VERSION = 3;
/** How long one process waits for another that is writing. */
const BUSY_MS = 3000;
/** Opening the file needs exclusive access for a moment, for which SQLite does not always wait on its own. */
const OPENING_PAUSE_MS = 50;

const TABLES = `
CREATE TABLE sessions (
  id INTEGER PRIMARY KEY, agent TEXT NOT NULL, root TEXT NOT NULL, path TEXT NOT NULL, key TEXT NOT NULL, stamp TEXT NOT NULL,
  session_id TEXT, title TEXT, first_prompt TEXT, cwd TEXT, model TEXT, created_at REAL, updated_at REAL, parent_id TEXT,
  messages INTEGER NOT NULL DEFAULT 0, tool_calls INTEGER NOT NULL DEFAULT 0, warnings TEXT, problem TEXT,
  UNIQUE (agent, root, path, key)
);
CREATE INDEX sessions_by_time ON sessions (updated_at);
CREATE INDEX sessions_by_id ON sessions (session_id);
CREATE INDEX sessions_with_problems ON sessions (agent, root) WHERE problem IS NOT NULL;
CREATE TABLE usage (
  session INTEGER NOT NULL, day TEXT NOT NULL, model TEXT NOT NULL,
  input INTEGER, output INTEGER, cache_read INTEGER, cache_creation INTEGER, total INTEGER, cost REAL
);
CREATE INDEX usage_by_session ON usage (session);
CREATE VIRTUAL TABLE texts USING fts5 (title, prompts, answers, tokenize = "unicode61 remove_diacritics 2");
INSERT INTO texts (texts, rank) VALUES ('secure-delete', 1);
`;

export function indexFile(env: NodeJS.ProcessEnv): string {
  return join(cacheFolder(env) ?? join(homeOf(env), '.cache', 'agent-mux'), 'sessions.db');
}

/** Opens the index; a broken file or one of another version is recreated. Throws if it cannot be used at all. */
export async function openIndexFile(file: string): Promise<DatabaseSync> {
  const { DatabaseSync } = await import('node:sqlite');
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const attempt = async () => {
    await createPrivate(file);
    const database = new DatabaseSync(file, { timeout: BUSY_MS });
    try {
      await prepare(database);
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  };
  try {
    return await attempt();
  } catch (error) {
    if (!isBroken(error)) throw error;
    await removeIndexFile(file);
    return attempt();
  }
}

/**
 * The file contains private text: it is created before SQLite would create it world-readable. Its side files inherit
 * the mode. An existing file is not opened: closing it again would release locks of other connections of this process.
 */
async function createPrivate(file: string): Promise<void> {
  const mode = (await stat(file).catch(() => undefined))?.mode;
  if (mode === undefined) await writeFile(file, '', { mode: 0o600, flag: 'wx' }).catch(ignoreExisting);
  else if ((mode & 0o077) !== 0) await chmod(file, 0o600);
}

/** Another process was faster. */
function ignoreExisting(error: unknown): void {
  if (!(error instanceof Error && Reflect.get(error, 'code') === 'EEXIST')) throw error;
}

export async function openIndexInMemory(): Promise<DatabaseSync> {
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(':memory:');
  createTables(database);
  return database;
}

export async function removeIndexFile(file: string): Promise<void> {
  for (const end of ['', '-wal', '-shm']) await rm(`${file}${end}`, { force: true });
}

/** SQLITE_CORRUPT, SQLITE_NOTADB; and SQLITE_ERROR, since an unexpected table is not worth a repair. */
export function isBroken(error: unknown): boolean {
  return [1, 11, 26].includes(sqliteCode(error) ?? -1);
}

/** SQLITE_BUSY, SQLITE_LOCKED. */
function isBusy(error: unknown): boolean {
  return [5, 6].includes(sqliteCode(error) ?? -1);
}

function sqliteCode(error: unknown): number | undefined {
  const code = isRecord(error) || error instanceof Error ? Reflect.get(error, 'errcode') : undefined;
  return typeof code === 'number' ? code & 0xff : undefined;
}

async function prepare(database: DatabaseSync): Promise<void> {
  const deadline = Date.now() + BUSY_MS;
  for (;;) {
    try {
      database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON;');
      if (versionOf(database) !== INDEX_VERSION) inTransaction(database, () => createTables(database));
      return;
    } catch (error) {
      if (!isBusy(error) || Date.now() >= deadline) throw error;
      await delay(OPENING_PAUSE_MS);
    }
  }
}

function createTables(database: DatabaseSync): void {
  // Another process may have created them since the check.
  if (versionOf(database) === INDEX_VERSION) return;
  // Dropping a search index drops several other tables, so they are looked up one at a time.
  for (;;) {
    const found = database
      .prepare(
        `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY sql LIKE 'CREATE VIRTUAL%' DESC`,
      )
      .get();
    if (typeof found?.name !== 'string') break;
    database.exec(`DROP TABLE "${found.name.replaceAll('"', '""')}"`);
  }
  database.exec(`${TABLES} PRAGMA user_version = ${INDEX_VERSION};`);
}

function versionOf(database: DatabaseSync): number {
  const version = database.prepare('PRAGMA user_version').get()?.user_version;
  return typeof version === 'number' ? version : -1;
}

export function inTransaction(database: DatabaseSync, work: () => void): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    work();
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}
