import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';

export function homeOf(env: NodeJS.ProcessEnv = process.env): string {
  return env.HOME || env.USERPROFILE || homedir();
}

/** Folder for data that can be recreated. Undefined: the environment defines no location for it. */
export function cacheFolder(env: NodeJS.ProcessEnv): string | undefined {
  const base = env.XDG_CACHE_HOME || (env.HOME && join(env.HOME, '.cache'));
  return base ? join(base, 'agent-mux') : undefined;
}

/** Shortens the home folder to `~`. */
export function showPath(path: string, env: NodeJS.ProcessEnv): string {
  const home = homeOf(env);
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

/** Innermost first: a default may contain another variable. */
const VARIABLE = /\{(\w+):-([^{}]*)\}/g;
const DEEPEST = 3;

/**
 * Expands an adapter path to an absolute one: `~` is the home folder, `{NAME:-default}` a variable with a default, and
 * a relative path is below `cwd`.
 */
export function expandPath(path: string, env: NodeJS.ProcessEnv = process.env, cwd: string = process.cwd()): string {
  let filled = path;
  for (let depth = 0; depth < DEEPEST; depth++)
    filled = filled.replace(VARIABLE, (_, name: string, otherwise: string) => env[name] || otherwise);
  if (filled === '~') return homeOf(env);
  if (filled.startsWith('~/') || filled.startsWith('~\\')) return join(homeOf(env), filled.slice(2));
  return isAbsolute(filled) ? filled : resolve(cwd, filled);
}
