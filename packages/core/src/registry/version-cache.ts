import { createHash } from 'node:crypto';
import { mkdir, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OWN_FILE_LIMIT, readRegularFile } from '../regular-file.ts';
import { cacheFolder } from '../surroundings/paths.ts';
import { parseVersion } from './version.ts';

/** A launcher may stay the same file while what it launches is updated; so long that goes unnoticed at most. */
const BELIEVED_MS = 24 * 60 * 60_000;

/**
 * The versions that CLIs have told, kept between processes so that a run need not ask again: some take seconds to say it.
 * A file for each binary, so that nobody writes over another's. Whatever is wrong here, the CLI is asked.
 */
export class VersionCache {
  readonly #folder: string | undefined;

  constructor(env: NodeJS.ProcessEnv) {
    const cache = cacheFolder(env);
    this.#folder = cache && join(cache, 'versions');
  }

  async read(key: string, now: number): Promise<string | null> {
    const path = this.#pathOf(key);
    if (path === undefined) return null;
    try {
      const { mtimeMs } = await stat(path);
      // A clock that was set back makes a file of the future, which would be believed for ever.
      if (Math.abs(now - mtimeMs) > BELIEVED_MS) return null;
      return parseVersion((await readRegularFile(path, { limit: OWN_FILE_LIMIT })).toString('utf8'));
    } catch {
      return null;
    }
  }

  async write(key: string, version: string): Promise<void> {
    const path = this.#pathOf(key);
    if (path === undefined || this.#folder === undefined) return;
    const unfinished = `${path}.${process.pid}`;
    try {
      await mkdir(this.#folder, { recursive: true });
      await writeFile(unfinished, `${version}\n`);
      await rename(unfinished, path);
    } catch {
      // A full or read-only disk: it is asked again the next time.
    }
  }

  #pathOf(key: string): string | undefined {
    return this.#folder && join(this.#folder, createHash('sha256').update(key).digest('hex').slice(0, 32));
  }
}
