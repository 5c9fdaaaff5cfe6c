import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isWithin } from '../files/within.ts';
import { matchesWhole, matchesWithin, readStars, type StarPattern } from '../star-pattern.ts';

/** A file that is asked for. */
export interface AskedPath {
  /** As the agent wrote it. */
  said: string;
  /** Absolute, without dots. */
  full: string;
  /** The end of all links. Undefined: it is not known where it leads. */
  real: string | undefined;
}

/** Where what is relative is seen from. */
export interface PathBase {
  /** With all links followed. */
  folder: string;
  home: string;
}

const MOST_LINKS = 40;
const CONTROL = /\p{Cc}/u;
const ADDRESS = /^[A-Za-z][A-Za-z0-9+.-]+:\/\//;

export function readAskedPath(said: string, cwd: string, isLocal: boolean): AskedPath {
  const path = said.startsWith('file://') ? fromAddress(said) : said;
  if (path === undefined || CONTROL.test(path) || ADDRESS.test(path)) return { said, full: said, real: undefined };
  const full = resolve(cwd, path);
  // Some tools take `~` for the home folder, others for a name.
  const isClear = isLocal && path !== '' && !path.startsWith('~');
  return { said, full, real: isClear ? findReal(full) : undefined };
}

/** Where a path really leads, also when nothing is there yet. Undefined: nobody can say. */
export function findReal(path: string, links = 0): string | undefined {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.isSymbolicLink()) {
      if (links > MOST_LINKS) return undefined;
      return findReal(resolve(realpathSync(dirname(path)), readlinkSync(path)), links + 1);
    }
    if (found) return realpathSync(path);
    if (dirname(path) === path) return path;
    const folder = findReal(dirname(path), links);
    return folder === undefined ? undefined : join(folder, basename(path));
  } catch {
    return undefined;
  }
}

/** Whether the file, where it really lies, is one that the pattern names. Links below the base are not followed for the pattern. */
export function allowsPath(pattern: string, { real }: AskedPath, base: PathBase): boolean {
  if (real === undefined) return false;
  return matchesWhole(withBase(pattern, base), toSlashes(real));
}

/** Whether it is one that the pattern names, or lies below one, however it was written; a relative pattern fits at any depth. */
export function deniesPath(pattern: string, { said, full, real }: AskedPath, base: PathBase): boolean {
  const texts = [said, full, ...(real === undefined ? [] : [real]), ...expandHome(said, base)].map((text) =>
    toSlashes(text).toLowerCase(),
  );
  if (!isRooted(pattern)) {
    const wanted = lower(readStars(withoutDot(pattern)));
    return texts.some((text) => matchesWithin(wanted, text, isInName));
  }
  const exact = lower(withBase(pattern, base));
  const below = [...exact.slice(0, -1), `${(exact.at(-1) ?? '').replace(/\/$/, '')}/`, ''];
  return texts.some((text) => matchesWhole(exact, text) || matchesWhole(below, text));
}

/** A pattern that leads upwards says nothing of what it names. */
export function leadsUpwards(pattern: string): boolean {
  return pattern.split(/[\\/]/).includes('..');
}

export function isInside(folder: string, { real }: AskedPath): boolean {
  return real !== undefined && isWithin(folder, real);
}

const isInName = (character: string) => character !== '/';

function isRooted(pattern: string): boolean {
  return pattern === '~' || pattern.startsWith('~/') || isAbsolute(pattern);
}

function withBase(pattern: string, { folder, home }: PathBase): StarPattern {
  if (pattern === '~') return [toSlashes(home)];
  const [first = '', ...rest] = readStars(pattern.startsWith('~/') ? pattern.slice(2) : withoutDot(pattern));
  if (isRooted(pattern) && !pattern.startsWith('~/')) return [toSlashes(first), ...rest];
  const root = toSlashes(pattern.startsWith('~/') ? home : folder).replace(/\/$/, '');
  if (first === '.' && rest.length === 0) return [root];
  return [`${root}/${first}`, ...rest];
}

function withoutDot(pattern: string): string {
  return pattern.startsWith('./') ? pattern.slice(2) : pattern;
}

function expandHome(said: string, { home }: PathBase): string[] {
  return said === '~' || said.startsWith('~/') ? [join(home, said.slice(1))] : [];
}

function fromAddress(said: string): string | undefined {
  try {
    return fileURLToPath(said);
  } catch {
    return undefined;
  }
}

function lower(pattern: StarPattern): StarPattern {
  return pattern.map((piece) => piece.toLowerCase());
}

function toSlashes(path: string): string {
  return sep === '/' ? path : path.replaceAll(sep, '/');
}
