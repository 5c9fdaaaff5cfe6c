import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CACHE_FOLDER, useAsTemporary } from './temporary.ts';

/** Of what was left, enough to know whose it is. */
const SHOWN = 10;

const BUILD = [join(import.meta.dirname, '../do.mjs'), 'build'];

/** The whole run has one temporary folder; what a test leaves there is found file by file (file-folder.ts). */
export default function setup(): () => void {
  // Tests start the daemon and the command as they were built. `npm test` has just built them.
  if (process.env.npm_lifecycle_event !== 'test') execFileSync(process.execPath, BUILD, { stdio: 'inherit' });
  // Short: the paths of sockets are limited.
  const folder = mkdtempSync(join(tmpdir(), 'amux-t-'));
  useAsTemporary(folder);
  // What is kept between processes (versions of CLIs) is not the user's business here.
  process.env.XDG_CACHE_HOME = join(folder, CACHE_FOLDER);
  return () => {
    const left = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
      (name) => !name.startsWith(CACHE_FOLDER),
    );
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    if (left.length === 0) return;
    process.exitCode = 1;
    console.error(
      `left in the temporary folder after all tests, by a process that had outlived its test: ${left.slice(0, SHOWN).join(', ')}`,
    );
  };
}
