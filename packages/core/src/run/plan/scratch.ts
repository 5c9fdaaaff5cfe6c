import { spawn } from 'node:child_process';
import { lstatSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { chmod, lstat, readdir, rm } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import type { SpawnArgs } from '../../contract/adapter.ts';
import { AgentMuxError } from '../../contract/errors.ts';
import { watchFolder } from '../../process/watchman.ts';
import { messageOf } from '../../values.ts';

/** Nobody waits longer for a folder to go; what the agent has put there may be of any size. */
const REMOVE_LIMIT_MS = 10_000;

/** What takes back that a folder goes with this process. */
const watched = new Map<string, () => void>();

/** Throws where anything has that name already, a link too. */
export function makeScratch(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
    watched.set(path, watchFolder(path));
  } catch (cause) {
    const message = `no folder for files of the run could be made: ${cause instanceof Error ? cause.message : cause}`;
    throw new AgentMuxError('SPAWN_ERROR', message, { cause, hint: 'the temporary folder (TMPDIR) must be writable' });
  }
}

/**
 * Files that the agent is pointed at. They may hold secrets: nobody else may read them. In a later turn the folder has been
 * the agent's for a while: nothing is written through a link that it has put there.
 */
export function writeHelperFiles(
  scratchDir: string,
  { files = {}, links = {} }: Pick<SpawnArgs, 'files' | 'links'>,
): void {
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(clearPlace(scratchDir, name), content, { mode: 0o600, flag: 'wx' });
  }
  // A junction needs no privilege on Windows.
  for (const [name, target] of Object.entries(links)) symlinkSync(target, clearPlace(scratchDir, name), 'junction');
}

/** The path of a helper file, whose folder exists and which is free. */
function clearPlace(scratchDir: string, name: string): string {
  const path = join(scratchDir, name);
  const inner = relative(scratchDir, path).split(sep);
  if (inner[0] === '..' || inner[0] === '') {
    throw new AgentMuxError('INTERNAL_ERROR', `a helper file must stay below the scratch folder: ${name}`);
  }
  if (!isFolder(scratchDir)) {
    throw new AgentMuxError('SPAWN_ERROR', `the agent has removed or replaced its scratch folder ${scratchDir}`);
  }
  let folder = scratchDir;
  for (const part of inner.slice(0, -1)) {
    folder = join(folder, part);
    if (isFolder(folder)) continue;
    rmSync(folder, { force: true });
    mkdirSync(folder, { mode: 0o700 });
  }
  rmSync(path, { recursive: true, force: true });
  return join(dirname(path), inner.at(-1) ?? '');
}

/** Of which no agent has heard yet. */
export function dropScratch(path: string): void {
  rmSync(path, { recursive: true, force: true });
  unwatch(path);
}

/**
 * Removes the folder, whatever the agent has made of it, and follows no link. Never rejects: resolves to what is to be told,
 * or to nothing.
 */
export async function removeScratch(path: string): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`${path} is still being removed`), REMOVE_LIMIT_MS);
  });
  const told = await Promise.race([remove(path), late]);
  clearTimeout(timer);
  unwatch(path);
  return told;
}

function unwatch(path: string): void {
  watched.get(path)?.();
  watched.delete(path);
}

async function remove(path: string): Promise<string | undefined> {
  try {
    const replaced = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink();
    await rm(path, { recursive: true, force: true });
    return replaced ? `the agent had put a link in place of ${path}; only the link was removed` : undefined;
  } catch (error) {
    await openFolders(path);
    // Takes trees whose paths are too long for a single call.
    if (process.platform !== 'win32') await runToEnd('rm', ['-rf', '--', path]);
    else await rm(path, { recursive: true, force: true }).catch(() => {});
    const left = await lstat(path).catch(() => undefined);
    return left && `${path} could not be removed: ${messageOf(error)}`;
  }
}

/** Lets us into folders from which the agent has shut us out. Folders only: a file may be one from elsewhere, by a hard link. */
async function openFolders(root: string): Promise<void> {
  const waiting = [root];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    try {
      const stats = await lstat(path);
      if (!stats.isDirectory()) continue;
      if ((stats.mode & 0o700) !== 0o700) await chmod(path, 0o700);
      for (const entry of await readdir(path, { withFileTypes: true }))
        if (entry.isDirectory()) waiting.push(join(path, entry.name));
    } catch {
      // Told at the end, if it is still there.
    }
  }
}

function runToEnd(command: string, args: readonly string[]): Promise<void> {
  return new Promise((resolve) => {
    try {
      const child = spawn(command, args, { stdio: 'ignore', timeout: REMOVE_LIMIT_MS, killSignal: 'SIGKILL' });
      child.on('error', () => resolve());
      child.on('exit', () => resolve());
    } catch {
      resolve();
    }
  });
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
