import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { keepFile } from '../files/keep-file.ts';
import { lookAt } from '../files/look.ts';
import { cacheFolder } from '../files/paths.ts';
import { OWN_FILE_LIMIT, readRegularFile } from '../files/regular-file.ts';
import { fingerprintOf } from './fingerprint.ts';
import { parseVersion } from './version.ts';

/** What a launcher launches may be replaced where nothing of it shows; so long that goes unnoticed at most. */
const BELIEVED_MS = 24 * 60 * 60_000;
/** One that told none is asked again sooner: it may have been slow only this once. */
const SILENCE_BELIEVED_MS = 10 * 60_000;

/** A command, and what makes it tell its version. */
export interface Asked {
  command: string;
  args: readonly string[];
}

export interface Remembered {
  /** Null: it was asked and told none. */
  version: string | null;
  /** Nothing has changed since, and it is not long ago. */
  isCurrent: boolean;
}

/**
 * The versions that CLIs have told, kept between processes so that nobody need ask again: some take seconds to say it.
 * A file for each command, so that nobody writes over another's. Whatever is wrong here, the CLI is asked.
 */
export class VersionCache {
  readonly #folder: string | undefined;

  constructor(env: NodeJS.ProcessEnv) {
    const cache = cacheFolder(env);
    this.#folder = cache && join(cache, 'versions');
  }

  async read(asked: Asked, now: number): Promise<Remembered | null> {
    const path = this.#pathOf(asked);
    if (path === undefined) return null;
    try {
      const { mtimeMs } = await lookAt(path);
      const [told = '', mark] = (await readRegularFile(path, { limit: OWN_FILE_LIMIT })).toString('utf8').split('\n');
      const version = parseVersion(told);
      if (version === null && told !== '') return null;
      const believed = version === null ? SILENCE_BELIEVED_MS : BELIEVED_MS;
      // A clock that was set back makes a file of the future, which would be believed for ever.
      const isRecent = Math.abs(now - mtimeMs) <= believed;
      return { version, isCurrent: isRecent && mark !== undefined && mark === (await markOf(asked)) };
    } catch {
      return null;
    }
  }

  /** `mark`: of the command before it was asked. It may have been replaced while it was. */
  async write(asked: Asked, version: string | null, mark: string | undefined): Promise<void> {
    const path = this.#pathOf(asked);
    if (path !== undefined && mark !== undefined) await keepFile(path, `${version ?? ''}\n${mark}\n`);
  }

  #pathOf({ command, args }: Asked): string | undefined {
    return this.#folder && join(this.#folder, digest(JSON.stringify([command, args])));
  }
}

/** What tells this state of the command from any other. */
export async function markOf({ command }: Asked): Promise<string | undefined> {
  const fingerprint = await fingerprintOf(command);
  return fingerprint === undefined ? undefined : digest(fingerprint);
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
