import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { homeOf } from '../files/paths.ts';
import { isAbsence, readRegularFileSync } from '../files/regular-file.ts';

/** A configuration file above this size is not read. */
export const CONFIG_FILE_LIMIT = 1024 * 1024;

export function userConfigFile(env: NodeJS.ProcessEnv = process.env): string {
  const xdg = env.XDG_CONFIG_HOME;
  return join(xdg && isAbsolute(xdg) ? xdg : join(homeOf(env), '.config'), 'agent-mux', 'config.json');
}

/**
 * The nearest `.agent-mux/config.json` from `cwd` up to the root of its git repository. Outside of one only `cwd` itself
 * is looked at: a folder above it, such as a shared temporary one, may belong to anybody.
 */
export function projectConfigFile(cwd: string): string | undefined {
  const folders = foldersUpTo(resolve(cwd), gitRootOf(resolve(cwd)));
  return folders.map((folder) => join(folder, '.agent-mux', 'config.json')).find((file) => existsSync(file));
}

/** Where the file of a project is written that has none yet: at the root of its git repository, or in `cwd`. */
export function newProjectConfigFile(cwd: string): string {
  return join(projectFolder(cwd), '.agent-mux', 'config.json');
}

export function projectFolder(cwd: string): string {
  return gitRootOf(resolve(cwd));
}

/** Undefined: there is no such file. Throws where it is there and cannot be read. */
export function readConfigFile(file: string): string | undefined {
  try {
    return readRegularFileSync(file, { limit: CONFIG_FILE_LIMIT })
      .toString('utf8')
      .replace(/^\uFEFF/, '');
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

function gitRootOf(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at;
    if (dirname(at) === at) return folder;
  }
}

function foldersUpTo(folder: string, root: string): string[] {
  return folder === root ? [folder] : [folder, ...foldersUpTo(dirname(folder), root)];
}
