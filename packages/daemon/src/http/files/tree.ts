import type { Dirent } from 'node:fs';
import { lstat, opendir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { TreeEntry } from '@agent-mux/api/schemas';
import { DaemonError } from '../../daemon-error.ts';
import { explain, isOfGit, locateInside, openFolderInside } from './inside.ts';

/** A folder of the workspace. Links are named and not followed. */
export async function listTree(
  workspace: string,
  given: string,
  most: number,
): Promise<{ path: string; entries: TreeEntry[]; truncated: boolean }> {
  const place = await locateInside(workspace, given);
  if (!(await stat(place.real)).isDirectory()) throw new DaemonError('BAD_REQUEST', `${given} is no folder`);
  const folder = await openFolderInside(place, given);
  try {
    const { found, truncated } = await readFolder(folder.path, given, most);
    const entries = await Promise.all(found.map((entry) => describeEntry(folder.path, place.path, entry)));
    return { path: place.path, entries: entries.sort(byKindAndName), truncated };
  } finally {
    await folder.close();
  }
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
