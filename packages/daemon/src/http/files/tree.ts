import type { Dirent } from 'node:fs';
import { lstat, opendir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { TreeEntry } from '@agent-mux/api/schemas';
import { DaemonError } from '../../daemon-error.ts';
import { isGitInternal, openFolderInWorkspace, resolveInWorkspace, toPathError } from './workspace-path.ts';

/** Lists a folder of the workspace. Links are listed but not followed. */
export async function listTree(
  workspace: string,
  path: string,
  max: number,
): Promise<{ path: string; entries: TreeEntry[]; truncated: boolean }> {
  const resolved = await resolveInWorkspace(workspace, path);
  if (!(await stat(resolved.real)).isDirectory()) throw new DaemonError('BAD_REQUEST', `${path} is not a folder`);
  const folder = await openFolderInWorkspace(resolved, path);
  try {
    const { found, truncated } = await readFolder(folder.path, path, max);
    const entries = await Promise.all(found.map((entry) => describeEntry(folder.path, resolved.path, entry)));
    return { path: resolved.path, entries: entries.sort(byKindAndName), truncated };
  } finally {
    await folder.close();
  }
}

async function readFolder(real: string, path: string, max: number): Promise<{ found: Dirent[]; truncated: boolean }> {
  const found: Dirent[] = [];
  try {
    for await (const entry of await opendir(real)) {
      if (isGitInternal(entry.name)) continue;
      if (found.length === max) return { found, truncated: true };
      found.push(entry);
    }
  } catch (error) {
    throw toPathError(error, path);
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
