import { stat } from 'node:fs/promises';
import type { DatabaseSync } from 'node:sqlite';
import { AgentMuxError } from '../contract/errors.ts';
import type { SessionRef, SessionStore } from '../contract/sessions.ts';
import { expandPath } from '../files/paths.ts';
import { messageOf } from '../values.ts';
import type { SessionContent } from './store.ts';

/** How long a reader waits for an agent that is writing. */
const BUSY_MS = 2000;

export interface SessionDatabase {
  agent: string;
  /** As `expandPath` reads it. */
  file: string;
  /** Every session: its key, and a stamp that changes whenever it does. */
  list(database: DatabaseSync): { key: string; stamp: string }[];
  /** Null if the key is unknown. */
  read(database: DatabaseSync, key: string): SessionContent | null;
}

/** A store of one SQLite file for all sessions. Opened read-only, and only for one query at a time. */
export function sessionDatabase({ agent, file, list, read }: SessionDatabase): SessionStore {
  return {
    root: (env) => expandPath(file, env),
    async find(env) {
      const path = expandPath(file, env);
      if (!(await stat(path).catch(() => undefined))) return [];
      return askDatabase(agent, path, (database) =>
        list(database).map(({ key, stamp }): SessionRef => ({ path, key, stamp })),
      );
    },
    async read({ path, key }) {
      const content = await askDatabase(agent, path, (database) => {
        const wanted = key ?? list(database)[0]?.key;
        return wanted === undefined ? null : read(database, wanted);
      });
      if (content) return { agent, ...content };
      throw new AgentMuxError('SESSION_NOT_FOUND', `session ${key ?? ''} not found in ${path}`.trim(), { agent });
    },
  };
}

async function askDatabase<Answer>(
  agent: string,
  path: string,
  question: (database: DatabaseSync) => Answer,
): Promise<Answer> {
  const { DatabaseSync } = await import('node:sqlite');
  try {
    using database = new DatabaseSync(path, { readOnly: true, timeout: BUSY_MS });
    return question(database);
  } catch (cause) {
    const reason = messageOf(cause);
    throw new AgentMuxError('PARSE_ERROR', `cannot read ${path} as a ${agent} store: ${reason}`, {
      agent,
      cause,
    });
  }
}
