import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isWithin } from '../files/within.ts';
import { matchesWhole, matchesWithin, parseWildcard, type Wildcard } from '../wildcard.ts';

/** A requested file. */
export interface ResourcePath {
  /** As the agent wrote it. */
  raw: string;
  /** Absolute, without dots. */
  full: string;
  /** With all links resolved. Undefined if unknown. */
  real: string | undefined;
}

/** Base of relative patterns. */
export interface PathBase {
  /** With all links resolved. */
  folder: string;
  home: string;
}

const MAX_LINKS = 40;
const CONTROL = /\p{Cc}/u;
const ADDRESS = /^[A-Za-z][A-Za-z0-9+.-]+:\/\//;

export function readResourcePath(raw: string, cwd: string, isLocal: boolean): ResourcePath {
  const path = raw.startsWith('file://') ? fromAddress(raw) : raw;
  if (path === undefined || CONTROL.test(path) || ADDRESS.test(path)) return { raw, full: raw, real: undefined };
  const full = resolve(cwd, path);
  // Some tools read `~` as the home folder, others as a name.
  const isClear = isLocal && path !== '' && !path.startsWith('~');
  return { raw, full, real: isClear ? findReal(full) : undefined };
}

/** Resolves all links of a path, even if nothing exists there yet. Undefined if that is impossible. */
export function findReal(path: string, links = 0): string | undefined {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.isSymbolicLink()) {
      if (links > MAX_LINKS) return undefined;
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

/** Whether the pattern covers the real location of the file. Links below the base are not resolved for the pattern. */
export function allowsPath(pattern: string, { real }: ResourcePath, base: PathBase): boolean {
  if (real === undefined) return false;
  return matchesWhole(withBase(pattern, base), toSlashes(real));
}

/**
 * Whether the pattern names the file or a folder above it, however it is written; a relative pattern matches at any
 * depth.
 */
export function deniesPath(pattern: string, { raw, full, real }: ResourcePath, base: PathBase): boolean {
  const texts = [raw, full, ...(real === undefined ? [] : [real]), ...expandHome(raw, base)].map((text) =>
    toSlashes(text).toLowerCase(),
  );
  if (!isRooted(pattern)) {
    const wanted = lower(parseWildcard(withoutDot(pattern)));
    return texts.some((text) => matchesWithin(wanted, text, isInName));
  }
  const exact = lower(withBase(pattern, base));
  const below = [...exact.slice(0, -1), `${(exact.at(-1) ?? '').replace(/\/$/, '')}/`, ''];
  return texts.some((text) => matchesWhole(exact, text) || matchesWhole(below, text));
}

/** A pattern with `..` has no clear meaning. */
export function leadsUpwards(pattern: string): boolean {
  return pattern.split(/[\\/]/).includes('..');
}

export function isInside(folder: string, { real }: ResourcePath): boolean {
  return real !== undefined && isWithin(folder, real);
}

const isInName = (character: string) => character !== '/';

function isRooted(pattern: string): boolean {
  return pattern === '~' || pattern.startsWith('~/') || isAbsolute(pattern);
}

function withBase(pattern: string, { folder, home }: PathBase): Wildcard {
  if (pattern === '~') return [toSlashes(home)];
  const [first = '', ...rest] = parseWildcard(pattern.startsWith('~/') ? pattern.slice(2) : withoutDot(pattern));
  if (isRooted(pattern) && !pattern.startsWith('~/')) return [toSlashes(first), ...rest];
  const root = toSlashes(pattern.startsWith('~/') ? home : folder).replace(/\/$/, '');
  if (first === '.' && rest.length === 0) return [root];
  return [`${root}/${first}`, ...rest];
}

function withoutDot(pattern: string): string {
  return pattern.startsWith('./') ? pattern.slice(2) : pattern;
}

function expandHome(raw: string, { home }: PathBase): string[] {
  return raw === '~' || raw.startsWith('~/') ? [join(home, raw.slice(1))] : [];
}

function fromAddress(raw: string): string | undefined {
  try {
    return fileURLToPath(raw);
  } catch {
    return undefined;
  }
}

function lower(pattern: Wildcard): Wildcard {
  return pattern.map((piece) => piece.toLowerCase());
}

function toSlashes(path: string): string {
  return sep === '/' ? path : path.replaceAll(sep, '/');
}
