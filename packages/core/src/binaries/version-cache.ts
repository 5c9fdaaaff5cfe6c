import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { cacheFolder } from '../files/paths.ts';
import { OWN_FILE_LIMIT, readRegularFile } from '../files/regular-file.ts';
import { statFile } from '../files/stat.ts';
import { writePrivateFile } from '../files/write-private-file.ts';
import { fingerprintOf } from './fingerprint.ts';
import { parseVersion } from './version.ts';

/** Maximum age of a version: the target of a launcher may be replaced without a visible change. */
const MAX_AGE_MS = 24 * 60 * 60_000;
/** Maximum age of a failed query, which is shorter: the CLI may just have been slow. */
const MAX_FAILURE_AGE_MS = 10 * 60_000;

/** A command and the arguments that print its version. */
export interface VersionQuery {
  command: string;
  args: readonly string[];
}

export interface CachedVersion {
  /** Null: the query returned no version. */
  version: string | null;
  /** The command has not changed since, and the query is recent. */
  isCurrent: boolean;
}

/**
 * CLI versions, cached between processes, since some CLIs take seconds to print theirs. One file per command, to avoid
 * lost updates. On any problem the CLI is queried.
 */
export class VersionCache {
  readonly #folder: string | undefined;

  constructor(env: NodeJS.ProcessEnv) {
    const cache = cacheFolder(env);
    this.#folder = cache && join(cache, 'versions');
  }

  async read(query: VersionQuery, now: number): Promise<CachedVersion | null> {
    const path = this.#pathOf(query);
    if (path === undefined) return null;
    try {
      const { mtimeMs } = await statFile(path);
      const [text = '', mark] = (await readRegularFile(path, { limit: OWN_FILE_LIMIT })).toString('utf8').split('\n');
      const version = parseVersion(text);
      if (version === null && text !== '') return null;
      const believed = version === null ? MAX_FAILURE_AGE_MS : MAX_AGE_MS;
      // After a clock was set back, a file from the future would be valid forever.
      const isRecent = Math.abs(now - mtimeMs) <= believed;
      return { version, isCurrent: isRecent && mark !== undefined && mark === (await markOf(query)) };
    } catch {
      return null;
    }
  }

  /** `mark`: fingerprint of the command before the query, since it may be replaced during it. */
  async write(query: VersionQuery, version: string | null, mark: string | undefined): Promise<void> {
    const path = this.#pathOf(query);
    if (path !== undefined && mark !== undefined) await writePrivateFile(path, `${version ?? ''}\n${mark}\n`);
  }

  #pathOf({ command, args }: VersionQuery): string | undefined {
    return this.#folder && join(this.#folder, digest(JSON.stringify([command, args])));
  }
}

/** Identifies this state of the command. */
export async function markOf({ command }: VersionQuery): Promise<string | undefined> {
  const fingerprint = await fingerprintOf(command);
  return fingerprint === undefined ? undefined : digest(fingerprint);
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
