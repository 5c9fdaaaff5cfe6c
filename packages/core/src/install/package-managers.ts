import type { InstallMethod } from '../contract/capabilities.ts';
import { splitArgs } from './command-line.ts';
import type { InstallOrigin } from './origin.ts';

/** Commands derived from the arguments of an install command. Null: cannot be derived. */
interface PackageManager {
  withVersion?(args: readonly string[], version: string): string[] | null;
  update(args: readonly string[], origin: InstallOrigin | null): string[] | null;
  uninstall(args: readonly string[], origin: InstallOrigin | null): string[] | null;
}

const NPM: PackageManager = {
  withVersion: (args, version) =>
    eachPackage(args, (name) => (isNamed(name) ? `${stripVersion(name)}@${version}` : null)),
  update: (args, origin) => {
    const newest = eachPackage(args, (name) => (isNamed(name) ? `${stripVersion(name)}@latest` : name));
    return newest && addPrefix(newest, origin);
  },
  uninstall: (args, origin) => {
    const [options] = packagesOf(args);
    const name = origin?.package ?? (options !== undefined && isNamed(options) ? stripVersion(options) : undefined);
    return name === undefined ? null : addPrefix(['npm', 'uninstall', '-g', name], origin);
  },
};

const PIP: PackageManager = {
  withVersion: (args, version) => eachPackage(args, (name) => `${name.split('==')[0]}==${version}`),
  update: (args) => replaceVerb(args, ['install', '--upgrade']),
  uninstall: (args) => replaceVerb(args, ['uninstall', '-y']),
};

const BREW: PackageManager = {
  update: (args) => replaceVerb(args, ['upgrade']),
  uninstall: (args) => replaceVerb(args, ['uninstall']),
};

const WINGET: PackageManager = {
  withVersion: (args, version) => [...args, '--version', version],
  update: (args) => replaceVerb(args, ['upgrade']),
  uninstall: (args) => replaceVerb(args, ['uninstall']),
};

const MANAGERS: Partial<Record<InstallMethod['type'], PackageManager>> = {
  npm: NPM,
  pip: PIP,
  brew: BREW,
  winget: WINGET,
};

/** Arguments that install this version; null: the method does not support versions. */
export function addVersion({ type, command }: InstallMethod, version: string): string[] | null {
  const args = splitArgs(command);
  return (args && MANAGERS[type]?.withVersion?.(args, version)) ?? null;
}

export function deriveCommandArgs(
  { type, command }: InstallMethod,
  action: 'update' | 'uninstall',
  origin: InstallOrigin | null,
): string[] | null {
  const args = splitArgs(command);
  return (args && MANAGERS[type]?.[action](args, origin)) ?? null;
}

/** Arguments after the verb that are not flags. */
function packagesOf(args: readonly string[]): string[] {
  const verb = args.indexOf('install');
  return verb === -1 ? [] : args.slice(verb + 1).filter((arg) => !arg.startsWith('-'));
}

function eachPackage(args: readonly string[], change: (name: string) => string | null): string[] | null {
  const packages = packagesOf(args);
  if (packages.length !== 1) return null;
  const changed = change(packages[0] ?? '');
  return changed === null ? null : args.map((arg) => (arg === packages[0] ? changed : arg));
}

function replaceVerb(args: readonly string[], verb: readonly string[]): string[] | null {
  return args.includes('install') ? args.flatMap((arg) => (arg === 'install' ? verb : [arg])) : null;
}

/** A registry name, not a file or URL. */
function isNamed(spec: string): boolean {
  return /^(?:@[\w.~-]+\/)?[\w.~-]+(?:@[\w.+^~-]+)?$/.test(spec) && !/\.tgz$/.test(spec);
}

function stripVersion(spec: string): string {
  const version = spec.indexOf('@', 1);
  return version === -1 ? spec : spec.slice(0, version);
}

/** The current prefix, which may differ from npm's default. */
function addPrefix(args: readonly string[], origin: InstallOrigin | null): string[] {
  return origin?.prefix === undefined ? [...args] : [...args, '--prefix', origin.prefix];
}
