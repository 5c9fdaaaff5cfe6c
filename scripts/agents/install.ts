import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { runNpm } from './npm.ts';
import versions from './versions.json' with { type: 'json' };

export interface PinnedCli {
  package: string;
  version: string;
  /** The version that the CLI reports, if it differs from its package version. */
  reportedVersion?: string;
  /** Another pinned CLI that must be on its PATH: a runtime other than node. */
  needs?: string;
}

const INSTALL_FLAGS = ['--no-audit', '--no-fund', '--no-save', '--loglevel=error'];
const PINNED: Readonly<Record<string, PinnedCli>> = versions;

export function pinnedCli(cli: string): PinnedCli {
  const pinned = PINNED[cli];
  if (!pinned) {
    throw new Error(
      `${cli} has no package in scripts/agents/versions.json, so npm cannot install a release of it: add its package there, ` +
        `or install the release manually and run "amux verify"`,
    );
  }
  return pinned;
}

/** Outside the repository, so that clones share it. */
function cacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  return env.AGENT_MUX_CACHE ?? join(env.XDG_CACHE_HOME ?? join(env.HOME ?? homedir(), '.cache'), 'agent-mux');
}

/** Command folders of the CLI and of the pinned CLIs that it needs. */
export async function installCli(
  cli: string,
  say: (text: string) => void,
  version: string = pinnedCli(cli).version,
): Promise<string[]> {
  const { needs } = pinnedCli(cli);
  return [await installPackage(cli, version, say), ...(needs === undefined ? [] : await installCli(needs, say))];
}

/** Installs into a temporary folder and renames it: an existing folder is complete. */
async function installPackage(cli: string, version: string, say: (text: string) => void): Promise<string> {
  const spec = `${pinnedCli(cli).package}@${version}`;
  const clis = join(cacheFolder(), 'clis');
  const target = join(clis, `${cli}-${version}`);
  const commands = join(target, 'node_modules', '.bin');
  if (existsSync(target)) return commands;
  mkdirSync(clis, { recursive: true });
  const folder = mkdtempSync(join(clis, `.${cli}-`));
  const started = performance.now();
  say(`installing ${spec}`);
  try {
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: `${cli}-cli`, private: true }));
    await runNpm(['install', spec, ...INSTALL_FLAGS], folder);
    rename(folder, target);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  say(`installed ${spec} in ${((performance.now() - started) / 1000).toFixed(1)} s`);
  return commands;
}

/** Another process may have been faster; its folder is as good. */
function rename(folder: string, target: string): void {
  try {
    renameSync(folder, target);
  } catch (error) {
    if (!existsSync(target)) throw error;
  }
}
