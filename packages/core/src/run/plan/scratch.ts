import { spawn } from 'node:child_process';
import { lstatSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { chmod, lstat, readdir, rm } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import type { SpawnArgs } from '../../contract/adapter.ts';
import { AgentMuxError } from '../../contract/errors.ts';
import { registerFolder } from '../../process/reaper.ts';
import { messageOf } from '../../values.ts';

/** Time limit for removing a folder; its content may be of any size. */
const REMOVE_LIMIT_MS = 10_000;

/** Callbacks that unregister a folder from removal at the exit of this process. */
const watched = new Map<string, () => void>();

/** Throws if anything of that name exists, even a link. */
export function createScratch(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
    watched.set(path, registerFolder(path));
  } catch (cause) {
    const message = `cannot create a folder for files of the run: ${cause instanceof Error ? cause.message : cause}`;
    throw new AgentMuxError('SPAWN_ERROR', message, { cause, hint: 'make the temporary folder (TMPDIR) writable' });
  }
}

/**
 * Writes files for the agent. They may contain secrets, so only the user may read them. In a later turn the agent has
 * had access to the folder: nothing is written through a link that it created.
 */
export function writeHelperFiles(
  scratchDir: string,
  { files = {}, links = {} }: Pick<SpawnArgs, 'files' | 'links'>,
): void {
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(clearPath(scratchDir, name), content, { mode: 0o600, flag: 'wx' });
  }
  // A junction needs no privilege on Windows.
  for (const [name, target] of Object.entries(links)) symlinkSync(target, clearPath(scratchDir, name), 'junction');
}

/** Frees the path of a helper file, whose folder exists. */
function clearPath(scratchDir: string, name: string): string {
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

/** Removes a folder that no agent has used yet. */
export function dropScratch(path: string): void {
  rmSync(path, { recursive: true, force: true });
  unwatch(path);
}

/**
 * Removes the folder, whatever the agent has done to it, without following links. Never rejects: resolves to a warning
 * or to undefined.
 */
export async function removeScratch(path: string): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`${path} is still being removed`), REMOVE_LIMIT_MS);
  });
  const warning = await Promise.race([remove(path), late]);
  clearTimeout(timer);
  unwatch(path);
  return warning;
}

function unwatch(path: string): void {
  watched.get(path)?.();
  watched.delete(path);
}

async function remove(path: string): Promise<string | undefined> {
  try {
    const replaced = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink();
    await rm(path, { recursive: true, force: true });
    return replaced ? `the agent replaced ${path} with a link; only the link was removed` : undefined;
  } catch (error) {
    await openFolders(path);
    // Handles trees whose paths are too long for a single call.
    if (process.platform !== 'win32') await runToEnd('rm', ['-rf', '--', path]);
    else await rm(path, { recursive: true, force: true }).catch(() => {});
    const left = await lstat(path).catch(() => undefined);
    return left && `cannot remove ${path}: ${messageOf(error)}`;
  }
}

/** Makes folders accessible again. Folders only: a file may be a hard link to one outside. */
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
      // Reported at the end, if it still exists.
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
