import type { InstallMethod } from '../contract/capabilities.ts';
import { wordsOf } from './command-line.ts';
import type { Origin } from './origin.ts';

/** What follows from the words of an install command. Null: it cannot be said. */
interface PackageManager {
  withVersion?(words: readonly string[], version: string): string[] | null;
  update(words: readonly string[], origin: Origin | null): string[] | null;
  uninstall(words: readonly string[], origin: Origin | null): string[] | null;
}

const NPM: PackageManager = {
  withVersion: (words, version) =>
    eachPackage(words, (name) => (isNamed(name) ? `${stripVersion(name)}@${version}` : null)),
  update: (words, origin) => {
    const newest = eachPackage(words, (name) => (isNamed(name) ? `${stripVersion(name)}@latest` : name));
    return newest && addPrefix(newest, origin);
  },
  uninstall: (words, origin) => {
    const [given] = packagesOf(words);
    const name = origin?.package ?? (given !== undefined && isNamed(given) ? stripVersion(given) : undefined);
    return name === undefined ? null : addPrefix(['npm', 'uninstall', '-g', name], origin);
  },
};

const PIP: PackageManager = {
  withVersion: (words, version) => eachPackage(words, (name) => `${name.split('==')[0]}==${version}`),
  update: (words) => replaceVerb(words, ['install', '--upgrade']),
  uninstall: (words) => replaceVerb(words, ['uninstall', '-y']),
};

const BREW: PackageManager = {
  update: (words) => replaceVerb(words, ['upgrade']),
  uninstall: (words) => replaceVerb(words, ['uninstall']),
};

const WINGET: PackageManager = {
  withVersion: (words, version) => [...words, '--version', version],
  update: (words) => replaceVerb(words, ['upgrade']),
  uninstall: (words) => replaceVerb(words, ['uninstall']),
};

const MANAGERS: Partial<Record<InstallMethod['type'], PackageManager>> = {
  npm: NPM,
  pip: PIP,
  brew: BREW,
  winget: WINGET,
};

/** The words that install this version; null: this way knows no versions. */
export function addVersion({ type, command }: InstallMethod, version: string): string[] | null {
  const words = wordsOf(command);
  return (words && MANAGERS[type]?.withVersion?.(words, version)) ?? null;
}

export function deriveWords(
  { type, command }: InstallMethod,
  action: 'update' | 'uninstall',
  origin: Origin | null,
): string[] | null {
  const words = wordsOf(command);
  return (words && MANAGERS[type]?.[action](words, origin)) ?? null;
}

/** Behind the verb, what is no flag. */
function packagesOf(words: readonly string[]): string[] {
  const verb = words.indexOf('install');
  return verb === -1 ? [] : words.slice(verb + 1).filter((word) => !word.startsWith('-'));
}

function eachPackage(words: readonly string[], change: (name: string) => string | null): string[] | null {
  const packages = packagesOf(words);
  if (packages.length !== 1) return null;
  const changed = change(packages[0] ?? '');
  return changed === null ? null : words.map((word) => (word === packages[0] ? changed : word));
}

function replaceVerb(words: readonly string[], verb: readonly string[]): string[] | null {
  return words.includes('install') ? words.flatMap((word) => (word === 'install' ? verb : [word])) : null;
}

/** A name of the registry, not a file or an address. */
function isNamed(spec: string): boolean {
  return /^(?:@[\w.~-]+\/)?[\w.~-]+(?:@[\w.+^~-]+)?$/.test(spec) && !/\.tgz$/.test(spec);
}

function stripVersion(spec: string): string {
  const version = spec.indexOf('@', 1);
  return version === -1 ? spec : spec.slice(0, version);
}

/** Where it is now, which need not be where npm would put it today. */
function addPrefix(words: readonly string[], origin: Origin | null): string[] {
  return origin?.prefix === undefined ? [...words] : [...words, '--prefix', origin.prefix];
}
