import { constants, statSync } from 'node:fs';
import { delimiter, extname, isAbsolute, join, resolve } from 'node:path';
import { expandPath } from '../files/paths.ts';
import { assertAccess, statFile } from '../files/stat.ts';

const WINDOWS_EXTENSIONS = '.COM;.EXE;.BAT;.CMD';

export interface LookupOptions {
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  platform?: NodeJS.Platform;
}

/**
 * The absolute path of a command, found like a shell does but without starting one; null: not found. A command with a
 * slash is a path (also `~` and relative), any other is searched on PATH.
 */
export async function lookupBinary(command: string, options: LookupOptions = {}): Promise<string | null> {
  const { env = process.env, cwd = process.cwd(), platform = process.platform } = options;
  if (!command) return null;
  for (const candidate of listCandidates(command, env, cwd, platform)) {
    if (await isExecutable(candidate, platform)) return candidate;
  }
  return null;
}

/** The first file of this name that exists without execute permission. */
export function findNotExecutable(command: string, options: LookupOptions = {}): string | undefined {
  const { env = process.env, cwd = process.cwd(), platform = process.platform } = options;
  if (!command || platform === 'win32') return undefined;
  return [...listCandidates(command, env, cwd, platform)].find((path) => {
    const file = statSync(path, { throwIfNoEntry: false });
    return file?.isFile() === true && (file.mode & 0o111) === 0;
  });
}

function* listCandidates(command: string, env: NodeJS.ProcessEnv, cwd: string, platform: NodeJS.Platform) {
  const windows = platform === 'win32';
  const isPath =
    isAbsolute(command) || command.startsWith('~') || command.includes('/') || (windows && command.includes('\\'));
  const folders = isPath ? [''] : listPathFolders(env, windows);
  for (const folder of folders) {
    const path = isPath ? expandPath(command, env, cwd) : resolve(cwd, join(folder, command));
    if (windows) yield* addExtensions(path, env);
    else yield path;
  }
}

function listPathFolders(env: NodeJS.ProcessEnv, windows: boolean): string[] {
  const path = windows ? readIgnoringCase(env, 'PATH') : env.PATH;
  // An empty entry means the current folder to a shell. It is never intended, and a repository could exploit it.
  return (path ?? '').split(windows ? ';' : delimiter).filter(Boolean);
}

function* addExtensions(path: string, env: NodeJS.ProcessEnv) {
  const extensions = (readIgnoringCase(env, 'PATHEXT') ?? WINDOWS_EXTENSIONS).split(';').filter(Boolean);
  const own = extname(path).toUpperCase();
  if (own && extensions.some((extension) => extension.toUpperCase() === own)) yield path;
  for (const extension of extensions) yield path + extension.toLowerCase();
}

function readIgnoringCase(env: NodeJS.ProcessEnv, name: string): string | undefined {
  if (env[name] !== undefined) return env[name];
  const key = Object.keys(env).find((candidate) => candidate.toUpperCase() === name);
  return key === undefined ? undefined : env[key];
}

async function isExecutable(path: string, platform: NodeJS.Platform): Promise<boolean> {
  try {
    if (!(await statFile(path)).isFile()) return false;
    if (platform !== 'win32') await assertAccess(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
