import { randomBytes } from 'node:crypto';
import { mkdir, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { SettingsPatch } from '@agent-mux/api/schemas';
import { userConfigFile, withFileLock } from '@agent-mux/core';

/** Beside the configuration file, each in a file of its own that only its owner may read. */
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
      // A full disk leaves a part of it.
      await removeSecrets(written.values(), env);
      throw error;
    }
  }
  return written;
}

/** Of those that stand in that folder only: a file of the person's own stays. */
export async function removeSecrets(files: Iterable<string>, env: NodeJS.ProcessEnv): Promise<void> {
  const folder = secretFolder(env);
  for (const file of files) if (dirname(file) === folder) await rm(file, { force: true });
}

/** The name of a target, the process that wrote it, and chance. Those of older versions have no process. */
const OWN_NAME = /^.+?(?:-(?<pid>\d+))?-[0-9a-f]{12}$/;

/**
 * What a daemon has left that was killed in the middle of a change: secrets that no target refers to, and unfinished copies of the
 * configuration, which holds addresses that may be secret. `inUse`: of all targets of the file.
 */
export async function removeLeftovers(inUse: ReadonlySet<string>, env: NodeJS.ProcessEnv): Promise<string[]> {
  // As whoever writes it finds it: at the end of all links.
  const config = await realpath(userConfigFile(env)).catch(() => userConfigFile(env));
  const folder = secretFolder(env);
  const isOrphan = (name: string) => {
    const found = OWN_NAME.exec(name);
    return found !== null && !inUse.has(join(folder, name)) && !isOfAnother(found.groups?.pid);
  };
  const unfinished = new RegExp(`^\\.${basename(config).replaceAll('.', '\\.')}\\.[0-9a-f]{12}\\.tmp$`);
  const leftovers = [
    ...(await listFolder(folder)).filter(isOrphan).map((name) => join(folder, name)),
    ...(await listFolder(dirname(config)))
      .filter((name) => unfinished.test(name))
      .map((name) => join(dirname(config), name)),
  ];
  // Whoever writes the file has this lock.
  if (leftovers.length > 0)
    await withFileLock(config, env, async () => {
      for (const file of leftovers) await rm(file, { force: true });
    });
  return leftovers;
}

/** A daemon with another state folder, which is in the middle of a change. */
function isOfAnother(pid: string | undefined): boolean {
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
