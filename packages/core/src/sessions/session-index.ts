import { statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { DatabaseSync } from 'node:sqlite';
import { AgentMuxError } from '../contract/errors.ts';
import type { TokenUsage } from '../contract/events.ts';
import type { SessionProblem } from '../contract/session-queries.ts';
import type { SessionRef } from '../contract/sessions.ts';
import { messageOf } from '../values.ts';
import { createIndexEntry, type IndexEntry } from './index-entry.ts';
import { inTransaction, isBroken, openIndexFile, openIndexInMemory, removeIndexFile } from './index-file.ts';
import type { SessionSource } from './sources.ts';

const READ_AT_ONCE = 32;
/** Total size of files that are read at once, unless a single one is larger. */
const READ_BYTES_AT_ONCE = 16 * 1024 * 1024;
/** Maximum sessions, or text, per transaction: every commit costs the search index a merge. */
const WRITTEN_AT_ONCE = 256;
const WRITTEN_CHARACTERS = 8_000_000;

export interface RefreshOptions {
  env: NodeJS.ProcessEnv;
  onProgress?: (done: number, total: number) => void;
}

interface KnownRow {
  id: number;
  stamp: string;
}

/**
 * Metadata and text of every session, stored between processes. It is only a copy: a broken file is recreated, and if
 * none can be used everything is read into memory, which is slower and reported.
 */
export class SessionIndex {
  readonly #file: string;
  #memory: DatabaseSync | undefined;
  #problem: SessionProblem | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(file: string) {
    this.#file = file;
  }

  /** Updates the sources and runs a query. One at a time in this process; other processes may do the same. */
  ask<Answer>(
    sources: readonly SessionSource[],
    options: RefreshOptions,
    question: (database: DatabaseSync) => Answer,
  ): Promise<{ answer: Answer; problems: SessionProblem[] }> {
    return this.#alone(() =>
      this.#use(async (database) => {
        const problems = await refresh(database, sources, options);
        const answer = question(database);
        return { answer, problems: this.#problem ? [this.#problem, ...problems] : problems };
      }),
    );
  }

  /** After a session was deleted: removes its text immediately. */
  forget({ agent, root }: SessionSource, { path, key = '' }: SessionRef): Promise<void> {
    return this.#alone(() =>
      this.#use(async (database) => {
        const row = database
          .prepare('SELECT id FROM sessions WHERE agent = ? AND root = ? AND path = ? AND key = ?')
          .get(agent, root, path, key);
        if (typeof row?.id === 'number') drop(database, [row.id]);
      }),
    );
  }

  #alone<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    const next = this.#last.then(work, work);
    this.#last = next.catch(() => {});
    return next;
  }

  async #use<Answer>(work: (database: DatabaseSync) => Promise<Answer>): Promise<Answer> {
    for (let tries = 1; !this.#memory; tries += 1) {
      try {
        const database = await openIndexFile(this.#file);
        try {
          return await work(database);
        } finally {
          database.close();
        }
      } catch (error) {
        // A rejected query is not a failure of the index.
        if (error instanceof AgentMuxError) throw error;
        if (isBroken(error) && tries === 1) await removeIndexFile(this.#file).catch(() => {});
        else await this.#useMemory(error);
      }
    }
    return work(this.#memory);
  }

  async #useMemory(cause: unknown): Promise<void> {
    const reason = messageOf(cause);
    const problem = `cannot use the session index, so all sessions are read each time: ${reason}`;
    this.#problem = { path: this.#file, problem };
    this.#memory = await openIndexInMemory();
  }
}

interface Changed {
  source: SessionSource;
  ref: SessionRef;
}

async function refresh(
  database: DatabaseSync,
  sources: readonly SessionSource[],
  { env, onProgress }: RefreshOptions,
): Promise<SessionProblem[]> {
  const problems: SessionProblem[] = [];
  const changed: Changed[] = [];
  const deleted: number[] = [];
  for (const source of sources) {
    // Read before the store: sessions that others add meanwhile do not count as deleted.
    const known = readKnownRows(database, source);
    const refs = await source.store.find(env).catch((error: unknown) => {
      problems.push({ agent: source.agent, path: source.root, problem: messageOf(error) });
      return undefined;
    });
    if (!refs) continue;
    for (const ref of refs) {
      const name = rowName(ref.path, ref.key);
      if (known.get(name)?.stamp !== ref.stamp) changed.push({ source, ref });
      known.delete(name);
    }
    for (const { id } of known.values()) deleted.push(id);
  }
  drop(database, deleted);
  await readAll(database, startSomewhere(changed), onProgress);
  return [...problems, ...readProblems(database, sources)];
}

async function readAll(
  database: DatabaseSync,
  changed: readonly Changed[],
  onProgress: RefreshOptions['onProgress'],
): Promise<void> {
  if (changed.length === 0) return;
  const stampOf = database.prepare('SELECT stamp FROM sessions WHERE agent = ? AND root = ? AND path = ? AND key = ?');
  const isDone = ({ source: { agent, root }, ref: { path, key = '', stamp } }: Changed) =>
    stampOf.get(agent, root, path, key)?.stamp === stamp;
  const keep = prepareKeeper(database);
  let waiting: ReadEntry[] = [];
  let characters = 0;
  const write = () => {
    inTransaction(database, () => waiting.forEach(keep));
    waiting = [];
    characters = 0;
  };
  let done = 0;
  for (const together of splitBatches(changed)) {
    onProgress?.(done, changed.length);
    done += together.length;
    const due = together.filter((one) => !isDone(one));
    for (const one of await Promise.all(due.map(readEntry))) {
      if (!one) continue;
      waiting.push(one);
      if ('texts' in one.content) characters += one.content.texts.prompts.length + one.content.texts.answers.length;
    }
    if (waiting.length >= WRITTEN_AT_ONCE || characters >= WRITTEN_CHARACTERS) write();
  }
  if (waiting.length > 0) write();
}

/** Enough at once that none waits for the disk, and few enough to fit in memory. */
function* splitBatches(changed: readonly Changed[]): Generator<Changed[]> {
  let batch: Changed[] = [];
  let bytes = 0;
  for (const one of changed) {
    const size = sizeOf(one.ref);
    if (batch.length > 0 && (batch.length === READ_AT_ONCE || bytes + size > READ_BYTES_AT_ONCE)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(one);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

/** Sessions of a database are smaller than the file. */
function sizeOf({ path, key }: SessionRef): number {
  return key === undefined ? (statSync(path, { throwIfNoEntry: false })?.size ?? 0) : 0;
}

/** Concurrent processes start at different positions, and each skips what another has done. */
function startSomewhere<Item>(items: readonly Item[]): Item[] {
  const start = Math.floor(Math.random() * items.length);
  return [...items.slice(start), ...items.slice(0, start)];
}

interface ReadEntry extends Changed {
  content: IndexEntry | { problem: string };
}

/** Undefined if it was deleted meanwhile. */
async function readEntry({ source, ref }: Changed): Promise<ReadEntry | undefined> {
  try {
    const session = await source.store.read(ref, { brief: true });
    const content = createIndexEntry(session, null);
    if (content.updatedAt !== null || ref.key !== undefined) return { source, ref, content };
    const { mtimeMs } = await stat(ref.path);
    return { source, ref, content: createIndexEntry(session, mtimeMs) };
  } catch (error) {
    const isThere = ref.key !== undefined || (await stat(ref.path).catch(() => undefined));
    return isThere ? { source, ref, content: { problem: messageOf(error) } } : undefined;
  }
}

/** Writes sessions with statements that are prepared once. */
function prepareKeeper(database: DatabaseSync): (entry: ReadEntry) => void {
  const row = database.prepare(
    `INSERT INTO sessions (agent, root, path, key, stamp) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (agent, root, path, key) DO UPDATE SET stamp = excluded.stamp, problem = NULL
     RETURNING id, session_id`,
  );
  const problem = database.prepare('UPDATE sessions SET problem = ? WHERE id = ?');
  const summary = database.prepare(
    `UPDATE sessions SET session_id = ?, title = ?, first_prompt = ?, cwd = ?, model = ?, created_at = ?, updated_at = ?,
       parent_id = ?, messages = ?, tool_calls = ?, warnings = ? WHERE id = ?`,
  );
  const usage = database.prepare('INSERT INTO usage VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)');
  const texts = database.prepare('INSERT INTO texts (rowid, title, prompts, answers) VALUES (?, ?, ?, ?)');
  const dropParts = prepareDropper(database);
  return ({ source, ref, content }) => {
    const { id, session_id: wasKnown } = row.get(source.agent, source.root, ref.path, ref.key ?? '', ref.stamp) ?? {};
    if (typeof id !== 'number') throw new Error('cannot write a session to the index');
    // The last readable state stays: the file may only be half-written.
    if ('problem' in content) {
      problem.run(content.problem, id);
      return;
    }
    const { sessionId, title, firstPrompt, cwd, model, createdAt, updatedAt, parentId, warnings } = content;
    const times = [createdAt, updatedAt] as const;
    const counts = [content.messages, content.toolCalls] as const;
    summary.run(sessionId, title, firstPrompt, cwd, model, ...times, parentId, ...counts, warnings, id);
    if (wasKnown !== null) dropParts(id);
    for (const { day, model: used, usage: tokens, costUsd } of content.usage) {
      usage.run(id, day, used, ...tokenColumns(tokens), costUsd);
    }
    texts.run(id, content.texts.title, content.texts.prompts, content.texts.answers);
  };
}

function tokenColumns(usage: TokenUsage | null): (number | null)[] {
  if (!usage) return [null, null, null, null, null];
  return [usage.inputTokens, usage.outputTokens, usage.cacheReadTokens, usage.cacheCreationTokens, usage.totalTokens];
}

function drop(database: DatabaseSync, ids: readonly number[]): void {
  if (ids.length === 0) return;
  const row = database.prepare('DELETE FROM sessions WHERE id = ?');
  const dropParts = prepareDropper(database);
  inTransaction(database, () => {
    for (const id of ids) {
      dropParts(id);
      row.run(id);
    }
  });
}

function prepareDropper(database: DatabaseSync): (id: number) => void {
  const usage = database.prepare('DELETE FROM usage WHERE session = ?');
  const texts = database.prepare('DELETE FROM texts WHERE rowid = ?');
  return (id) => {
    usage.run(id);
    texts.run(id);
  };
}

function readKnownRows(database: DatabaseSync, { agent, root }: SessionSource): Map<string, KnownRow> {
  const known = new Map<string, KnownRow>();
  const rows = database.prepare('SELECT id, path, key, stamp FROM sessions WHERE agent = ? AND root = ?');
  // For thousands of rows, arrays take half the time of objects.
  rows.setReturnArrays(true);
  for (const [id, path, key, stamp] of rowValues(rows.all(agent, root))) {
    known.set(rowName(String(path), String(key)), { id: Number(id), stamp: String(stamp) });
  }
  return known;
}

/** What a statement that returns arrays really gives. */
function rowValues(rows: readonly unknown[]): unknown[][] {
  return rows.filter((row) => Array.isArray(row));
}

function rowName(path: string, key = ''): string {
  return key === '' ? path : `${path}\n${key}`;
}

function readProblems(database: DatabaseSync, sources: readonly SessionSource[]): SessionProblem[] {
  // A file that another agent of the same location can read is not a problem.
  const query = database.prepare(
    `SELECT path, key, problem FROM sessions p WHERE agent = ? AND root = ? AND problem IS NOT NULL AND NOT EXISTS (
       SELECT 1 FROM sessions o WHERE o.agent IN (SELECT value FROM json_each(?)) AND o.root = p.root
         AND o.path = p.path AND o.key = p.key AND o.problem IS NULL AND o.session_id IS NOT NULL)
     ORDER BY path, key`,
  );
  const othersOf = ({ agent, root }: SessionSource) =>
    JSON.stringify(sources.filter((other) => other.root === root && other.agent !== agent).map((other) => other.agent));
  return sources.flatMap((source) =>
    query.all(source.agent, source.root, othersOf(source)).map(({ path, key, problem }) => ({
      agent: source.agent,
      path: String(path),
      ...(key === '' ? {} : { key: String(key) }),
      problem: String(problem),
    })),
  );
}
