import type { Dirent } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import type { TreeEntry } from '@agent-mux/api/schemas';
import { DaemonError } from '../../daemon-error.ts';
import { explain, isOfGit, locateInside } from './inside.ts';

/** A folder of the workspace. Links are named and not followed. */
export async function listTree(
  workspace: string,
  given: string,
  most: number,
): Promise<{ path: string; entries: TreeEntry[]; truncated: boolean }> {
  const { real, path } = await locateInside(workspace, given);
  const { found, truncated } = await readFolder(real, given, most);
  const entries = await Promise.all(found.map((entry) => describeEntry(real, path, entry)));
  // It may have become a link to elsewhere while it was read.
  const after = await locateInside(workspace, given);
  if (after.real !== real) throw new DaemonError('NOT_FOUND', `there is no ${given} in the workspace any more`);
  return { path, entries: entries.sort(byKindAndName), truncated };
}

async function readFolder(real: string, given: string, most: number): Promise<{ found: Dirent[]; truncated: boolean }> {
  const found: Dirent[] = [];
  try {
    for await (const entry of await opendir(real)) {
      if (isOfGit(entry.name)) continue;
      if (found.length === most) return { found, truncated: true };
      found.push(entry);
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOTDIR') {
      throw new DaemonError('BAD_REQUEST', `${given} is no folder`);
    }
    throw explain(error, given);
  }
  return { found, truncated: false };
}

async function describeEntry(folder: string, path: string, entry: Dirent): Promise<TreeEntry> {
  const stats = await lstat(join(folder, entry.name)).catch(() => null);
  return {
    name: entry.name,
    path: path === '' ? entry.name : `${path}/${entry.name}`,
    kind: kindOf(entry),
    bytes: entry.isFile() && stats ? stats.size : null,
    modifiedAt: stats ? Math.max(0, Math.round(stats.mtimeMs)) : null,
  };
}

function kindOf(entry: Dirent): TreeEntry['kind'] {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  return entry.isSymbolicLink() ? 'link' : 'other';
}

function byKindAndName(a: TreeEntry, b: TreeEntry): number {
  const rank = (entry: TreeEntry) => (entry.kind === 'folder' ? 0 : 1);
  return rank(a) - rank(b) || (a.name < b.name ? -1 : 1);
}
