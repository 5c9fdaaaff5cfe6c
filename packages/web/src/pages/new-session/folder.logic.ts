import type { FolderList } from '@agent-mux/api/browser';

/** So many folders that are known already; more would hide what completes the word. */
const MOST_KNOWN = 6;

export interface FolderOption {
  path: string;
  /** Sessions were there: it is meant as it is. Another may be only the way to what is meant. */
  isKnown: boolean;
  isRepository: boolean;
}

/** Where sessions were comes first, then what completes what was typed. Nothing twice, and not what stands there already. */
export function optionsOf(typed: string, known: readonly string[], found: FolderList | undefined): FolderOption[] {
  const word = typed.trim().toLowerCase();
  const repositories = new Set(found?.folders.flatMap(({ path, isRepository }) => (isRepository ? [path] : [])));
  const before = known
    .filter((path) => path !== trimEnd(typed) && path.toLowerCase().includes(word))
    .slice(0, MOST_KNOWN)
    .map((path) => ({ path, isKnown: true, isRepository: repositories.has(path) }));
  const shown = new Set(before.map(({ path }) => path));
  const rest = (found?.folders ?? [])
    .filter(({ path }) => !shown.has(path) && path !== typed)
    .map(({ path, isRepository }) => ({ path, isKnown: false, isRepository }));
  return [...before, ...rest];
}

/** Of what completed something typed before: what completes this too. */
export function stillFitting(typed: string, found: FolderList): FolderList {
  return { ...found, folders: found.folders.filter(({ path }) => path.startsWith(typed)) };
}

/** What the field holds after an option was taken: one that is only on the way is opened. */
export function takeOption({ path, isKnown }: FolderOption): string {
  return isKnown || path.endsWith('/') ? path : `${path}/`;
}

/** As a shell does on Tab: all that is certain. Null: nothing is, so that Tab goes on to the next field. */
export function completeTyped(typed: string, found: FolderList | undefined): string | null {
  const [first, ...rest] = found?.folders ?? [];
  if (first === undefined || typed === '' || /[/\\]$/.test(typed)) return null;
  if (rest.length === 0) return found?.truncated ? null : `${first.path}/`;
  let certain = first.path;
  for (const { path } of rest)
    while (!path.toLowerCase().startsWith(certain.toLowerCase())) certain = certain.slice(0, -1);
  return certain.length > (found?.path.length ?? 0) ? certain : null;
}

/** What is wrong with the folder, in words; null: nothing is. */
export function faultOf({ path, kind }: Pick<FolderList, 'path' | 'kind'>): string | null {
  if (kind === 'folder') return null;
  if (kind === 'other') return `${path} is no folder, but a file.`;
  if (kind === 'unreadable') return `The daemon may not read ${path}.`;
  return `There is no folder ${path}: make it first, or choose another.`;
}

function trimEnd(path: string): string {
  return path.replace(/(?<=.)[/\\]+$/, '');
}
