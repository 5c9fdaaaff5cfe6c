import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { SessionRef, SessionStore } from '../contract/sessions.ts';
import { expandPath } from '../files/paths.ts';
import { ignoreAbsence, readRegularFile } from '../files/regular-file.ts';
import { type SessionDatabase, sessionDatabase } from './database.ts';

/** A list of databases above this size is not read. */
const LIST_LIMIT = 16 * 1024 * 1024;

/** Where the databases are. */
export type DatabasePlaces =
  /** One in each folder below the root, at this path. */
  | { root: string; inEachFolder: string }
  /** In folders that a file of the agent names. Pure; throws on a text in another form. */
  | { listedIn: string; folders(text: string): readonly string[]; name: string };

export type SessionDatabases = Omit<SessionDatabase, 'file'> & { places: DatabasePlaces };

/** A store of several SQLite files of one form, such as one for each project. One that is broken costs only itself. */
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

async function listFiles(places: DatabasePlaces, root: string): Promise<string[]> {
  if ('root' in places) {
    const folders = await readdir(root, { withFileTypes: true }).catch(() => []);
    return folders.filter((entry) => entry.isDirectory()).map(({ name }) => join(root, name, places.inEachFolder));
  }
  const text = await readRegularFile(root, { limit: LIST_LIMIT }).catch(ignoreAbsence);
  if (text === undefined) return [];
  return [...new Set(places.folders(text.toString('utf8')))].map((folder) => join(folder, places.name));
}

/** Named all the same, so that whoever reads it is told why not. */
async function nameUnreadable(path: string): Promise<SessionRef[]> {
  const file = await stat(path).catch(() => undefined);
  return file ? [{ path, stamp: `${file.size}:${file.mtimeMs}` }] : [];
}
