import { randomBytes } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { SettingsPatch } from '@agent-mux/api/schemas';
import { userConfigFile } from '@agent-mux/core';

/** Beside the configuration file, each in a file of its own that only its owner may read. */
export async function writeSecrets(patch: SettingsPatch, env: NodeJS.ProcessEnv): Promise<Map<string, string>> {
  const written = new Map<string, string>();
  for (const [name, target] of Object.entries(patch.notify?.targets ?? {})) {
    if (target?.type !== 'webhook' || target.secret === undefined) continue;
    const folder = secretFolder(env);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const file = join(folder, `${name}-${randomBytes(6).toString('hex')}`);
    await writeFile(file, `${target.secret}\n`, { mode: 0o600, flag: 'wx' });
    written.set(name, file);
  }
  return written;
}

/** Of those that stand in that folder only: a file of the person's own stays. */
export async function removeSecrets(files: Iterable<string>, env: NodeJS.ProcessEnv): Promise<void> {
  const folder = secretFolder(env);
  for (const file of files) if (dirname(file) === folder) await rm(file, { force: true });
}

function secretFolder(env: NodeJS.ProcessEnv): string {
  return join(dirname(userConfigFile(env)), 'secrets');
}
