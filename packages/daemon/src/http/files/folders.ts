import type { Dirent } from 'node:fs';
import { lstat, opendir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FolderList } from '@agent-mux/api/schemas';
import { homeOf, isRecord } from '@agent-mux/core';

export interface FolderLimits {
  /** Of a folder so many entries are looked at; what comes after is left out, and that is said. */
  folderEntries: number;
  /** So many folders are answered. */
  folders: number;
  /** A disk that does not answer is not waited for. */
  foldersMs: number;
}

type Found = Pick<FolderList, 'folders' | 'truncated'>;
const NOTHING: Found = { folders: [], truncated: false };

/** What lies at a path that somebody types, and the folders that complete it. Reads names alone; nothing that is odd makes it fail. */
export async function listFolders(typed: string, env: NodeJS.ProcessEnv, limits: FolderLimits): Promise<FolderList> {
  const given = typed === '' ? '~/' : typed;
  const path = resolve(
    homeOf(env),
    given.replace(/^~(?=[/\\]|$)/, () => homeOf(env)),
  );
  const isWhole = /[/\\]$/.test(given) || given === '~';
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

/** As git looks for it, without asking git: names are read, and nothing of the repository is believed. */
async function isInRepository(path: string): Promise<boolean> {
  for (let folder = path; ; folder = dirname(folder)) {
    if (await isThere(join(folder, '.git'))) return true;
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
  candidates.sort(byLikeness(prefix));
  const folders: FolderList['folders'] = [];
  for (const entry of candidates) {
    if (folders.length === limits.folders) return { folders, truncated: true };
    const path = join(folder, entry.name);
    // A link that leads nowhere, or in a circle, is no folder.
    if (entry.isSymbolicLink() && (await kindOf(path)) !== 'folder') continue;
    folders.push({ name: entry.name, path, isRepository: await isThere(join(path, '.git')) });
  }
  return { folders, truncated };
}

/** A name that cannot be said in a line, or in UTF-8, could not be asked for again. */
function isOffered(entry: Dirent, lower: string): boolean {
  const { name } = entry;
  if (!entry.isDirectory() && !entry.isSymbolicLink()) return false;
  if (/[\x00-\x1f\x7f\ufffd]/.test(name)) return false;
  if (name.startsWith('.') && !lower.startsWith('.')) return false;
  return name.toLowerCase().startsWith(lower);
}

/** Those that are written exactly so come first. */
function byLikeness(prefix: string): (a: Dirent, b: Dirent) => number {
  const rank = ({ name }: Dirent) => (name.startsWith(prefix) ? 0 : 1);
  return (a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name);
}

async function isThere(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null)) !== null;
}
