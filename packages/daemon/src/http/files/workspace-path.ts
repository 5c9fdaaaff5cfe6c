import { constants } from 'node:fs';
import { type FileHandle, open, readlink, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import { isRecord, openRegularFile } from '@agent-mux/core';
import { DaemonError } from '../../daemon-error.ts';

const READ_ONLY = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0);

/** A path inside the workspace, with all links resolved. */
export interface WorkspacePath {
  root: string;
  real: string;
  /** Relative to the root, with slashes; empty for the root itself. */
  path: string;
}

/** Throws FORBIDDEN for paths outside the workspace or inside `.git`, NOT_FOUND for missing ones. */
export async function resolveInWorkspace(workspace: string, input: string): Promise<WorkspacePath> {
  assertPlainPath(input);
  const root = await realpath(workspace).catch(() => {
    throw new DaemonError('WORKSPACE_ERROR', `workspace not found: ${workspace}`);
  });
  const real = await realpath(join(root, input)).catch((error: unknown) => {
    throw toPathError(error, input);
  });
  if (!isWithin(root, real)) throw outside(input);
  const parts = relative(root, real).split(sep);
  if (parts.some(isGitInternal)) throw insideGit(input);
  return { root, real, path: parts.join('/') };
}

/** Opens a file of the workspace. Throws like `resolveInWorkspace`. */
export async function openInWorkspace(
  workspace: string,
  input: string,
): Promise<{ file: FileHandle; bytes: number; path: string }> {
  const resolved = await resolveInWorkspace(workspace, input);
  const file = await openRegularFile(resolved.real, READ_ONLY).catch((error: unknown) => {
    throw toPathError(error, input);
  });
  try {
    await assertInside(file, resolved, input);
    return { file, bytes: (await file.stat()).size, path: resolved.path };
  } catch (error) {
    await file.close();
    throw error instanceof DaemonError ? error : toPathError(error, input);
  }
}

/** Opens a folder of the workspace. `path` refers to the opened folder, even if its name is replaced meanwhile. */
export async function openFolderInWorkspace(
  resolved: WorkspacePath,
  input: string,
): Promise<{ path: string; close(): Promise<void> }> {
  if (process.platform !== 'linux') return { path: resolved.real, close: async () => {} };
  const folder = await open(resolved.real, READ_ONLY | constants.O_DIRECTORY).catch((error: unknown) => {
    throw toPathError(error, input);
  });
  try {
    await assertInside(folder, resolved, input);
    return { path: `/proc/self/fd/${folder.fd}`, close: () => folder.close() };
  } catch (error) {
    await folder.close();
    throw error instanceof DaemonError ? error : toPathError(error, input);
  }
}

/**
 * The agent may replace a folder by a link at any moment, also between two checks. Linux reports the real path of an
 * open file. On other platforms the path must still resolve to the same file, which leaves a small race.
 */
async function assertInside(opened: FileHandle, { root, real }: WorkspacePath, input: string): Promise<void> {
  if (process.platform === 'linux') {
    if ((await readlink(`/proc/self/fd/${opened.fd}`)) !== real) throw outside(input);
    return;
  }
  const openedStats = await opened.stat();
  const currentStats = await stat(await realpath(real));
  if (
    !isWithin(root, await realpath(real)) ||
    currentStats.dev !== openedStats.dev ||
    currentStats.ino !== openedStats.ino
  )
    throw outside(input);
}

export function isGitInternal(name: string): boolean {
  // Some file systems ignore case and trailing characters. Git also refuses these names.
  return /^(?:\.git|git~1)(?:[. ]*$|::)/i.test(name);
}

function isWithin(root: string, real: string): boolean {
  const path = relative(root, real);
  return path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path);
}

function assertPlainPath(input: string): void {
  const parts = input.split(/[/\\]/);
  if (input.includes('\0') || isAbsolute(input) || /^[a-z]:/i.test(input) || parts.includes('..')) throw outside(input);
  if (parts.some(isGitInternal)) throw insideGit(input);
}

/** Converts a file system error without revealing anything outside the workspace. */
export function toPathError(error: unknown, input: string): DaemonError {
  const code = isRecord(error) ? error.code : undefined;
  if (code === 'ELOOP') return outside(input);
  if (code === 'EACCES' || code === 'EPERM') return new DaemonError('FORBIDDEN', `${input} is not readable`);
  if (code === undefined) return new DaemonError('BAD_REQUEST', `${input} is not a file`);
  return new DaemonError('NOT_FOUND', `${input} not found in the workspace`);
}

function outside(input: string): DaemonError {
  return new DaemonError('FORBIDDEN', `${input} is outside the workspace`);
}

function insideGit(input: string): DaemonError {
  return new DaemonError('FORBIDDEN', `${input} is inside .git`);
}
