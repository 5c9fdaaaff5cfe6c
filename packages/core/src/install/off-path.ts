import { dirname, join } from 'node:path';
import { lookupBinary } from '../binaries/lookup-binary.ts';
import { readVersion } from '../binaries/version.ts';
import type { AgentAdapter, Spawner } from '../contract/adapter.ts';
import { installerEnv } from '../env/installer-env.ts';
import { expandPath } from '../files/paths.ts';
import { planCommandArgs } from './command-line.ts';
import { type InstallContext, runPlan } from './run-plan.ts';

/** Common install folders, whether or not they are on PATH. */
const USUAL_FOLDERS = ['~/.local/bin', '~/bin', '~/.cargo/bin', '/usr/local/bin', '/opt/homebrew/bin'];

/** Finds a command that was just installed into a folder that is not on PATH. */
export async function findOffPath(
  adapter: AgentAdapter,
  method: string,
  context: InstallContext,
  spawner?: Spawner,
): Promise<{ path: string; version: string | null } | null> {
  const folders = [...USUAL_FOLDERS, `~/.${adapter.agent}/bin`].map((folder) => expandPath(folder, context.hostEnv));
  if (method === 'npm') folders.unshift(...(await findNpmFolder(adapter, context, spawner)));
  for (const folder of folders) {
    const path = await lookupBinary(join(folder, adapter.cliCommand), { env: context.hostEnv });
    if (path === null) continue;
    const env = installerEnv(adapter, context.hostEnv, context.hostSignals);
    return { path, version: await readVersion({ command: path, args: adapter.versionArgs, env }) };
  }
  return null;
}

export function describePathHint(path: string, platform: NodeJS.Platform = process.platform): string {
  const folder = dirname(path);
  if (platform === 'win32') return `add ${folder} to PATH: setx PATH "%PATH%;${folder}", then open a new terminal`;
  return `add its folder to PATH: export PATH="${folder}:$PATH"`;
}

async function findNpmFolder(adapter: AgentAdapter, context: InstallContext, spawner?: Spawner): Promise<string[]> {
  const plan = {
    agent: adapter.agent,
    action: 'install' as const,
    platform: process.platform,
    method: 'npm' as const,
    commands: [planCommandArgs(['npm', 'prefix', '-g'])],
  };
  try {
    const { code, stdout } = await runPlan(plan, context, { spawner });
    const prefix = stdout.trim().split('\n').at(-1);
    if (code !== 0 || !prefix) return [];
    return [process.platform === 'win32' ? prefix : join(prefix, 'bin')];
  } catch {
    return [];
  }
}
