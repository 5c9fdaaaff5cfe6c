import type { FolderList } from '@agent-mux/api/browser';

/** Maximum number of recent folders; more would hide the completions. */
const MAX_KNOWN = 6;

export interface FolderOption {
  path: string;
  /** A folder of earlier sessions. Other folders may be only a step of the path. */
  isKnown: boolean;
  isRepository: boolean;
}

/** Suggestions: recent folders, then completions, without duplicates and without the typed path. */
export function optionsOf(typed: string, known: readonly string[], found: FolderList | undefined): FolderOption[] {
  const query = typed.trim().toLowerCase();
  const repositories = new Set(found?.folders.flatMap(({ path, isRepository }) => (isRepository ? [path] : [])));
  const before = known
    .filter((path) => path !== trimEnd(typed) && path.toLowerCase().includes(query))
    .slice(0, MAX_KNOWN)
    .map((path) => ({ path, isKnown: true, isRepository: repositories.has(path) }));
  const shown = new Set(before.map(({ path }) => path));
  const rest = (found?.folders ?? [])
    .filter(({ path }) => !shown.has(path) && path !== typed)
    .map(({ path, isRepository }) => ({ path, isKnown: false, isRepository }));
  return [...before, ...rest];
}

/** Filters the completions of an earlier input down to those of the current one. */
export function filterFolders(typed: string, found: FolderList): FolderList {
  return { ...found, folders: found.folders.filter(({ path }) => path.startsWith(typed)) };
}

/** Value of the field after an option is selected. A completion gets a trailing slash to descend into it. */
export function selectOption({ path, isKnown }: FolderOption): string {
  return isKnown || path.endsWith('/') ? path : `${path}/`;
}

/**
 * Completes the unambiguous part, as a shell does on Tab. Null: nothing to complete, so Tab moves to the next field.
 */
export function completeTyped(typed: string, found: FolderList | undefined): string | null {
  const [first, ...rest] = found?.folders ?? [];
  if (first === undefined || typed === '' || /[/\\]$/.test(typed)) return null;
  if (rest.length === 0) return found?.truncated ? null : `${first.path}/`;
  let common = first.path;
  for (const { path } of rest)
    while (!path.toLowerCase().startsWith(common.toLowerCase())) common = common.slice(0, -1);
  return common.length > (found?.path.length ?? 0) ? common : null;
}

/** Why the folder cannot be used; null if it can. */
export function issueOf({ path, kind }: Pick<FolderList, 'path' | 'kind'>): string | null {
  if (kind === 'folder') return null;
  if (kind === 'other') return `${path} is a file, not a folder.`;
  if (kind === 'unreadable') return `The daemon cannot read ${path}.`;
  return `Folder ${path} not found. Create it first, or choose another.`;
}

function trimEnd(path: string): string {
  return path.replace(/(?<=.)[/\\]+$/, '');
}
