import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { homeOf } from '../files/paths.ts';
import { isMissing, readRegularFileSync } from '../files/regular-file.ts';

/** Maximum size of a configuration file. */
export const CONFIG_FILE_LIMIT = 1024 * 1024;

export function userConfigFile(env: NodeJS.ProcessEnv = process.env): string {
  const xdg = env.XDG_CONFIG_HOME;
  return join(xdg && isAbsolute(xdg) ? xdg : join(homeOf(env), '.config'), 'agent-mux', 'config.json');
}

/**
 * The nearest `.agent-mux/config.json` from `cwd` up to the root of its git repository. Outside of one only `cwd`
 * itself is checked: a parent, such as a shared temporary folder, may belong to another user.
 */
export function projectConfigFile(cwd: string): string | undefined {
  const folders = foldersUpTo(resolve(cwd), gitRootOf(resolve(cwd)));
  return folders.map((folder) => join(folder, '.agent-mux', 'config.json')).find((file) => existsSync(file));
}

/** Path for the new file of a project: at the root of its git repository, or in `cwd`. */
export function newProjectConfigFile(cwd: string): string {
  return join(projectFolder(cwd), '.agent-mux', 'config.json');
}

export function projectFolder(cwd: string): string {
  return gitRootOf(resolve(cwd));
}

/** Undefined: the file does not exist. Throws if it cannot be read. */
export function readConfigFile(file: string): string | undefined {
  try {
    return readRegularFileSync(file, { limit: CONFIG_FILE_LIMIT })
      .toString('utf8')
      .replace(/^\uFEFF/, '');
  } catch (error) {
    if (isMissing(error)) return undefined;
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
