import { constants } from 'node:fs';
import { type FileHandle, open, readlink, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import { isRecord, openRegularFile } from '@agent-mux/core';
import { DaemonError } from '../../daemon-error.ts';

const READ_ONLY = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0);

/** A path of the workspace that really lies in it, with all links followed. */
export interface Inside {
  root: string;
  real: string;
  /** From the root, with slashes; empty for the root itself. */
  path: string;
}

/** Throws FORBIDDEN for what leads out of the workspace or into git's own files, NOT_FOUND where nothing is. */
export async function locateInside(workspace: string, given: string): Promise<Inside> {
  refuseOddPath(given);
  const root = await realpath(workspace).catch(() => {
    throw new DaemonError('WORKSPACE_ERROR', `the workspace is not there: ${workspace}`);
  });
  const real = await realpath(join(root, given)).catch((error: unknown) => {
    throw explain(error, given);
  });
  if (!isWithin(root, real)) throw outside(given);
  const parts = relative(root, real).split(sep);
  if (parts.some(isOfGit)) throw ofGit(given);
  return { root, real, path: parts.join('/') };
}

/** Opens a file of the workspace. Throws as `locateInside` does. */
export async function openInside(
  workspace: string,
  given: string,
): Promise<{ file: FileHandle; bytes: number; path: string }> {
  const place = await locateInside(workspace, given);
  const file = await openRegularFile(place.real, READ_ONLY).catch((error: unknown) => {
    throw explain(error, given);
  });
  try {
    await assertInside(file, place, given);
    return { file, bytes: (await file.stat()).size, path: place.path };
  } catch (error) {
    await file.close();
    throw error instanceof DaemonError ? error : explain(error, given);
  }
}

/** Opens a folder of the workspace; `path` leads to that one, whatever its name leads to by then. */
export async function openFolderInside(
  place: Inside,
  given: string,
): Promise<{ path: string; close(): Promise<void> }> {
  if (process.platform !== 'linux') return { path: place.real, close: async () => {} };
  const folder = await open(place.real, READ_ONLY | constants.O_DIRECTORY).catch((error: unknown) => {
    throw explain(error, given);
  });
  try {
    await assertInside(folder, place, given);
    return { path: `/proc/self/fd/${folder.fd}`, close: () => folder.close() };
  } catch (error) {
    await folder.close();
    throw error instanceof DaemonError ? error : explain(error, given);
  }
}

/**
 * Whoever works in the workspace may put a link in the place of a folder at any moment, also between two looks at it. Linux
 * tells where that lies which was opened. Elsewhere the path must still lead to it, which a very quick hand could arrange.
 */
async function assertInside(opened: FileHandle, { root, real }: Inside, given: string): Promise<void> {
  if (process.platform === 'linux') {
    if ((await readlink(`/proc/self/fd/${opened.fd}`)) !== real) throw outside(given);
    return;
  }
  const own = await opened.stat();
  const there = await stat(await realpath(real));
  if (!isWithin(root, await realpath(real)) || there.dev !== own.dev || there.ino !== own.ino) throw outside(given);
}

export function isOfGit(name: string): boolean {
  // Some file systems know no case, and drop what stands behind: git itself refuses these names too.
  return /^(?:\.git|git~1)(?:[. ]*$|::)/i.test(name);
}

function isWithin(root: string, real: string): boolean {
  const path = relative(root, real);
  return path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path);
}

function refuseOddPath(given: string): void {
  const parts = given.split(/[/\\]/);
  if (given.includes('\0') || isAbsolute(given) || /^[a-z]:/i.test(given) || parts.includes('..')) throw outside(given);
  if (parts.some(isOfGit)) throw ofGit(given);
}

/** What the file system says, in words that tell nothing of what lies outside. */
export function explain(error: unknown, given: string): DaemonError {
  const code = isRecord(error) ? error.code : undefined;
  if (code === 'ELOOP') return outside(given);
  if (code === 'EACCES' || code === 'EPERM') return new DaemonError('FORBIDDEN', `${given} may not be read`);
  if (code === undefined) return new DaemonError('BAD_REQUEST', `${given} is no file`);
  return new DaemonError('NOT_FOUND', `there is no ${given} in the workspace`);
}

function outside(given: string): DaemonError {
  return new DaemonError('FORBIDDEN', `${given} leads out of the workspace`);
}

function ofGit(given: string): DaemonError {
  return new DaemonError('FORBIDDEN', `${given} belongs to git itself`);
}
