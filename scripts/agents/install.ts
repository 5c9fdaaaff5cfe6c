import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { runNpm } from './npm.ts';
import versions from './versions.json' with { type: 'json' };

export interface PinnedCli {
  package: string;
  version: string;
  /** What the CLI itself says, where its package is numbered otherwise. */
  tells?: string;
  /** Another pinned CLI that must be on its PATH: a runtime other than node. */
  needs?: string;
}

const INSTALL_FLAGS = ['--no-audit', '--no-fund', '--no-save', '--loglevel=error'];
const PINNED: Readonly<Record<string, PinnedCli>> = versions;

export function pinnedCli(cli: string): PinnedCli {
  const pinned = PINNED[cli];
  if (!pinned) {
    throw new Error(
      `${cli} has no package in scripts/agents/versions.json, so npm can install no release of it: add its package there, ` +
        `or install the release by hand and run "amux verify", which proves what is on the PATH`,
    );
  }
  return pinned;
}

/** Outside of the repository, so that clones share it and none carries gigabytes. */
function cacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  return env.AGENT_MUX_CACHE ?? join(env.XDG_CACHE_HOME ?? join(env.HOME ?? homedir(), '.cache'), 'agent-mux');
}

/** The folders of the CLI's commands, and of those that it needs, which stay the pinned ones. */
export async function installCli(
  cli: string,
  say: (text: string) => void,
  version: string = pinnedCli(cli).version,
): Promise<string[]> {
  const { needs } = pinnedCli(cli);
  return [await installPackage(cli, version, say), ...(needs === undefined ? [] : await installCli(needs, say))];
}

/** Installed beside its place and then renamed: a folder that is there is whole. */
async function installPackage(cli: string, version: string, say: (text: string) => void): Promise<string> {
  const spec = `${pinnedCli(cli).package}@${version}`;
  const clis = join(cacheFolder(), 'clis');
  const place = join(clis, `${cli}-${version}`);
  const commands = join(place, 'node_modules', '.bin');
  if (existsSync(place)) return commands;
  mkdirSync(clis, { recursive: true });
  const folder = mkdtempSync(join(clis, `.${cli}-`));
  const started = performance.now();
  say(`installing ${spec}`);
  try {
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: `${cli}-cli`, private: true }));
    await runNpm(['install', spec, ...INSTALL_FLAGS], folder);
    rename(folder, place);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  say(`installed ${spec} in ${((performance.now() - started) / 1000).toFixed(1)} s`);
  return commands;
}

/** Another process may have been faster; its folder is as good. */
function rename(folder: string, place: string): void {
  try {
    renameSync(folder, place);
  } catch (error) {
    if (!existsSync(place)) throw error;
  }
}
