import { constants } from 'node:fs';
import { type FileHandle, realpath, stat } from 'node:fs/promises';
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
  const path = relative(root, real);
  if (path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path)) throw outside(given);
  const parts = path.split(sep);
  if (parts.some(isOfGit)) throw ofGit(given);
  return { root, real, path: parts.join('/') };
}

/**
 * Opens a file of the workspace. Whoever works there may put a link in the place of a folder at any moment; so what was opened
 * must, after that, still be what the path inside of the workspace leads to.
 */
export async function openInside(
  workspace: string,
  given: string,
): Promise<{ file: FileHandle; bytes: number; path: string }> {
  const before = await locateInside(workspace, given);
  const file = await openRegularFile(before.real, READ_ONLY).catch((error: unknown) => {
    throw explain(error, given);
  });
  try {
    const opened = await file.stat();
    const after = await locateInside(workspace, given);
    const there = await stat(after.real);
    if (there.dev !== opened.dev || there.ino !== opened.ino) throw outside(given);
    return { file, bytes: opened.size, path: before.path };
  } catch (error) {
    await file.close();
    throw error instanceof DaemonError ? error : explain(error, given);
  }
}

export function isOfGit(name: string): boolean {
  // Some file systems know no case, and drop what stands behind: git itself refuses these names too.
  return /^(?:\.git|git~1)(?:[. ]*$|::)/i.test(name);
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
