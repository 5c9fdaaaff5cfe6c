import { randomBytes } from 'node:crypto';
import { mkdir, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { SettingsPatch } from '@agent-mux/api/schemas';
import { userConfigFile, withFileLock } from '@agent-mux/core';

/** Writes secrets next to the config file, each in a separate file that only its owner can read. */
export async function writeSecrets(patch: SettingsPatch, env: NodeJS.ProcessEnv): Promise<Map<string, string>> {
  const written = new Map<string, string>();
  for (const [name, target] of Object.entries(patch.notify?.targets ?? {})) {
    if (target?.type !== 'webhook' || target.secret === undefined) continue;
    const folder = secretFolder(env);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const file = join(folder, `${name}-${process.pid}-${randomBytes(6).toString('hex')}`);
    written.set(name, file);
    try {
      await writeFile(file, `${target.secret}\n`, { mode: 0o600, flag: 'wx' });
    } catch (error) {
      // A full disk leaves a partial file.
      await removeSecrets(written.values(), env);
      throw error;
    }
  }
  return written;
}

/** Removes only files in the secret folder; files of the user are kept. */
export async function removeSecrets(files: Iterable<string>, env: NodeJS.ProcessEnv): Promise<void> {
  const folder = secretFolder(env);
  for (const file of files) if (dirname(file) === folder) await rm(file, { force: true });
}

/** Target name, pid of the writer and a random part. Files of older versions have no pid. */
const OWN_NAME = /^.+?(?:-(?<pid>\d+))?-[0-9a-f]{12}$/;

/**
 * Removes what a daemon left that was killed during a change: secrets that no target refers to, and temporary copies of
 * the config file, which may contain secret URLs. `inUse`: secret files of all targets in the config file.
 */
export async function removeLeftovers(inUse: ReadonlySet<string>, env: NodeJS.ProcessEnv): Promise<string[]> {
  // The target of all links, as the writer sees it.
  const config = await realpath(userConfigFile(env)).catch(() => userConfigFile(env));
  const folder = secretFolder(env);
  const isOrphan = (name: string) => {
    const found = OWN_NAME.exec(name);
    return found !== null && !inUse.has(join(folder, name)) && !belongsToOtherDaemon(found.groups?.pid);
  };
  const unfinished = new RegExp(`^\\.${basename(config).replaceAll('.', '\\.')}\\.[0-9a-f]{12}\\.tmp$`);
  const leftovers = [
    ...(await listFolder(folder)).filter(isOrphan).map((name) => join(folder, name)),
    ...(await listFolder(dirname(config)))
      .filter((name) => unfinished.test(name))
      .map((name) => join(dirname(config), name)),
  ];
  // Writers of the file hold this lock.
  if (leftovers.length > 0)
    await withFileLock(config, env, async () => {
      for (const file of leftovers) await rm(file, { force: true });
    });
  return leftovers;
}

/** The file belongs to a daemon with another state folder that is in the middle of a change. */
function belongsToOtherDaemon(pid: string | undefined): boolean {
  if (pid === undefined || Number(pid) === process.pid) return false;
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch {
    return false;
  }
}

async function listFolder(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}

function secretFolder(env: NodeJS.ProcessEnv): string {
  return join(dirname(userConfigFile(env)), 'secrets');
}
