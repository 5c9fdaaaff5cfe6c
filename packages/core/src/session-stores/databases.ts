import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { SessionRef, SessionStore } from '../contract/sessions.ts';
import { expandPath } from '../files/paths.ts';
import { ignoreMissing, readRegularFile } from '../files/regular-file.ts';
import { type SessionDatabase, sessionDatabase } from './database.ts';

/** Maximum size of a list of databases. */
const LIST_LIMIT = 16 * 1024 * 1024;

/** Where the databases are. */
export type DatabasePaths =
  /** One in each folder below the root, at this path. */
  | { root: string; inEachFolder: string }
  /** In folders that a file of the agent lists. Pure; throws on text in another format. */
  | { listedIn: string; folders(text: string): readonly string[]; name: string };

export type SessionDatabases = Omit<SessionDatabase, 'file'> & { places: DatabasePaths };

/** A store of several SQLite files of one format, such as one per project. A broken one does not affect the others. */
export function sessionDatabases({ places, ...form }: SessionDatabases): SessionStore {
  const root = 'root' in places ? places.root : places.listedIn;
  const storeIn = (file: string) => sessionDatabase({ ...form, file });
  return {
    root: (env) => expandPath(root, env),
    async find(env) {
      const files = await listFiles(places, expandPath(root, env));
      const found = await Promise.all(
        files.map((file) =>
          storeIn(file)
            .find(env)
            .catch(() => nameUnreadable(file)),
        ),
      );
      return found.flat();
    },
    read: (ref, how) => storeIn(ref.path).read(ref, how),
  };
}

async function listFiles(places: DatabasePaths, root: string): Promise<string[]> {
  if ('root' in places) {
    const folders = await readdir(root, { withFileTypes: true }).catch(() => []);
    return folders.filter((entry) => entry.isDirectory()).map(({ name }) => join(root, name, places.inEachFolder));
  }
  const text = await readRegularFile(root, { limit: LIST_LIMIT }).catch(ignoreMissing);
  if (text === undefined) return [];
  return [...new Set(places.folders(text.toString('utf8')))].map((folder) => join(folder, places.name));
}

/** Listed anyway, so that a reader learns why it cannot be read. */
async function nameUnreadable(path: string): Promise<SessionRef[]> {
  const file = await stat(path).catch(() => undefined);
  return file ? [{ path, stamp: `${file.size}:${file.mtimeMs}` }] : [];
}
