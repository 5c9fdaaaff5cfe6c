import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import versions from './versions.json' with { type: 'json' };

export interface PinnedCli {
  package: string;
  version: string;
  /** What the CLI itself says, where its package is numbered otherwise. */
  tells?: string;
  /** Another pinned CLI that must be on its PATH: a runtime other than node. */
  needs?: string;
}

const PINNED: Readonly<Record<string, PinnedCli>> = versions;
const INSTALL_LIMIT_MS = 10 * 60_000;

export function pinnedCli(cli: string): PinnedCli {
  const pinned = PINNED[cli];
  if (!pinned) throw new Error(`no pinned version of ${cli} in versions.json`);
  return pinned;
}

/** Outside of the repository, so that clones share it and none carries gigabytes. */
function cacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  return env.AGENT_MUX_CACHE ?? join(env.XDG_CACHE_HOME ?? join(env.HOME ?? homedir(), '.cache'), 'agent-mux');
}

/** The folders of the CLI's commands, and of those that it needs. */
export async function installCli(cli: string, say: (text: string) => void): Promise<string[]> {
  const { needs } = pinnedCli(cli);
  return [await installPackage(cli, say), ...(needs === undefined ? [] : await installCli(needs, say))];
}

/** Installed beside its place and then renamed: a folder that is there is whole. */
async function installPackage(cli: string, say: (text: string) => void): Promise<string> {
  const pinned = pinnedCli(cli);
  const clis = join(cacheFolder(), 'clis');
  const place = join(clis, `${cli}-${pinned.version}`);
  const commands = join(place, 'node_modules', '.bin');
  if (existsSync(place)) return commands;
  mkdirSync(clis, { recursive: true });
  const folder = mkdtempSync(join(clis, `.${cli}-`));
  const started = performance.now();
  say(`installing ${pinned.package}@${pinned.version}`);
  try {
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: `${cli}-cli`, private: true }));
    await npmInstall(folder, `${pinned.package}@${pinned.version}`);
    rename(folder, place);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  say(`installed ${pinned.package}@${pinned.version} in ${((performance.now() - started) / 1000).toFixed(1)} s`);
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

function npmInstall(folder: string, spec: string): Promise<void> {
  const args = ['install', spec, '--no-audit', '--no-fund', '--no-save', '--loglevel=error'];
  const windows = process.platform === 'win32';
  const child = spawn(windows ? 'npm.cmd' : 'npm', args, {
    cwd: folder,
    env: npmEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: INSTALL_LIMIT_MS,
    shell: windows,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-4000);
    });
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`npm install ${spec} failed with code ${code}:\n${output.trim()}`));
    });
  });
}

/** Of the npm that runs this script, only what says where packages come from: its folders are those of the workspace. */
function npmEnvironment(): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) =>
      !/^npm_(?:package|lifecycle|execpath|node|command|config_local_prefix)/i.test(name) && name !== 'INIT_CWD',
  );
  const path = [dirname(process.execPath), process.env.PATH].join(delimiter);
  return { ...Object.fromEntries(inherited), PATH: path };
}
