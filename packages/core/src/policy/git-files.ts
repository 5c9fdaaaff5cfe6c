import { isWithin } from '../files/within.ts';
import type { ResourcePath } from './match-path.ts';

/** Files that define which programs git runs, or where it finds them. */
const NAMES: ReadonlySet<string> = new Set(['.gitattributes', '.gitmodules', '.gitconfig', '.lfsconfig']);
const FOLDERS: ReadonlySet<string> = new Set(['.git', 'git~1']);
/** Characters that macOS file systems ignore in names. */
const LEFT_OUT = /[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;

/**
 * Whether a change of this file can make git run a program the next time a person or an agent uses it: anything in
 * `.git` (also `.git` itself, which can point to another folder), attributes, submodules, settings.
 */
export function isGitFile({ full, real }: ResourcePath, folder: string | undefined): boolean {
  return [full, real].some((path) => path !== undefined && namesGit(path, folder));
}

/** A session may itself work in a folder below `.git`. */
function namesGit(path: string, folder: string | undefined): boolean {
  const inner = folder !== undefined && isWithin(folder, path) ? path.slice(folder.length) : path;
  const parts = inner.split(/[\\/]/).map(plainName);
  const settings = parts.some((part, at) => part === 'git' && parts[at - 1] === '.config');
  return settings || parts.some((part) => FOLDERS.has(part)) || NAMES.has(parts.at(-1) ?? '');
}

/** Normalized as for case-insensitive file systems, and Windows, which drops trailing dots and spaces. */
function plainName(part: string): string {
  const name = part.replaceAll(LEFT_OUT, '').toLowerCase();
  const stream = name.search(/::?\$/);
  let end = stream === -1 ? name.length : stream;
  while (end > 0 && /[. ]/.test(name.charAt(end - 1))) end -= 1;
  return name.slice(0, end);
}
