import type { Dirent } from 'node:fs';
import { lstat, opendir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FolderList } from '@agent-mux/api/schemas';
import { homeOf, isRecord } from '@agent-mux/core';

export interface FolderLimits {
  /** Maximum entries read per folder. More are omitted, which is reported. */
  folderEntries: number;
  /** Maximum number of returned folders. */
  folders: number;
  /** Timeout for disks that do not respond. */
  foldersMs: number;
}

type Found = Pick<FolderList, 'folders' | 'truncated'>;
const NOTHING: Found = { folders: [], truncated: false };

/** Describes a path as the user types it, and the folders that complete it. Reads only names, and never fails. */
export async function listFolders(typed: string, env: NodeJS.ProcessEnv, limits: FolderLimits): Promise<FolderList> {
  const input = typed === '' ? '~/' : typed;
  const path = resolve(
    homeOf(env),
    input.replace(/^~(?=[/\\]|$)/, () => homeOf(env)),
  );
  const isWhole = /[/\\]$/.test(input) || input === '~';
  const [folder, prefix] = isWhole
    ? [path, '']
    : [dirname(path), path.slice(dirname(path).length).replace(/^[/\\]/, '')];
  const ending = new AbortController();
  const late = sleep(limits.foldersMs, undefined, { signal: ending.signal }).catch(() => undefined);
  const inTime = <Value>(work: Promise<Value>, otherwise: Value) =>
    Promise.race([work.catch(() => otherwise), late.then(() => otherwise)]);
  const isOver = () => ending.signal.aborted;
  try {
    const [kind, inRepository, found] = await Promise.all([
      inTime(kindOf(path), 'unreadable' as const),
      inTime(isInRepository(path), false),
      inTime(complete(folder, prefix, limits, isOver), { ...NOTHING, truncated: true }),
    ]);
    return { path, kind, inRepository: kind === 'folder' && inRepository, ...found };
  } finally {
    ending.abort();
  }
}

async function kindOf(path: string): Promise<FolderList['kind']> {
  try {
    return (await stat(path)).isDirectory() ? 'folder' : 'other';
  } catch (error) {
    const code = isRecord(error) ? error.code : undefined;
    return code === 'EACCES' || code === 'EPERM' ? 'unreadable' : 'missing';
  }
}

/** Searches parent folders like git, without running git or trusting the repository. */
async function isInRepository(path: string): Promise<boolean> {
  for (let folder = path; ; folder = dirname(folder)) {
    if (await exists(join(folder, '.git'))) return true;
    if (folder === dirname(folder)) return false;
  }
}

async function complete(folder: string, prefix: string, limits: FolderLimits, isOver: () => boolean): Promise<Found> {
  const candidates: Dirent[] = [];
  let seen = 0;
  let truncated = false;
  const lower = prefix.toLowerCase();
  for await (const entry of await opendir(folder)) {
    seen += 1;
    if (seen > limits.folderEntries || isOver()) {
      truncated = true;
      break;
    }
    if (isOffered(entry, lower)) candidates.push(entry);
  }
  candidates.sort(byPrefixCase(prefix));
  const folders: FolderList['folders'] = [];
  for (const entry of candidates) {
    if (folders.length === limits.folders) return { folders, truncated: true };
    const path = join(folder, entry.name);
    // A dangling or circular link is not a folder.
    if (entry.isSymbolicLink() && (await kindOf(path)) !== 'folder') continue;
    folders.push({ name: entry.name, path, isRepository: await exists(join(path, '.git')) });
  }
  return { folders, truncated };
}

/** Skips names with control characters or invalid UTF-8, which could not be requested again. */
function isOffered(entry: Dirent, lower: string): boolean {
  const { name } = entry;
  if (!entry.isDirectory() && !entry.isSymbolicLink()) return false;
  if (/[\x00-\x1f\x7f\ufffd]/.test(name)) return false;
  if (name.startsWith('.') && !lower.startsWith('.')) return false;
  return name.toLowerCase().startsWith(lower);
}

/** Case-sensitive matches first. */
function byPrefixCase(prefix: string): (a: Dirent, b: Dirent) => number {
  const rank = ({ name }: Dirent) => (name.startsWith(prefix) ? 0 : 1);
  return (a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name);
}

async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null)) !== null;
}
