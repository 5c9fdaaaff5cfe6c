import {
  type AgentAdapter,
  AgentMuxError,
  compareVersions,
  type InstallMethod,
  type Platform,
  parseVersion,
  type RemoteInvocation,
  runRemoteCommand,
} from '@agent-mux/core';

const QUERY_TIMEOUT_MS = 60_000;
const INSTALL_LIMIT_MS = 15 * 60_000;

/** Output of `uname -s` for the supported platforms. */
const PLATFORMS: Readonly<Record<string, Platform>> = { Linux: 'linux', Darwin: 'darwin' };

/** What is known about an agent on a remote target. */
export interface RemoteAgent {
  agent: string;
  displayName: string;
  installed: boolean;
  path: string | null;
  version: string | null;
  minVersion: string | null;
  meetsMinVersion: boolean;
  verifiedVersions: readonly string[];
  verified: boolean;
}

/** Checks the target; changes nothing there. */
export async function findRemoteAgent(adapter: AgentAdapter, target: RemoteInvocation): Promise<RemoteAgent> {
  const { agent, displayName, minVersion, verifiedVersions = [] } = adapter;
  const path = await findPath(adapter, target);
  const version = path === null ? null : await readVersion(adapter, target, path);
  const meetsMinVersion = minVersion === undefined || (version !== null && compareVersions(version, minVersion) >= 0);
  return {
    agent,
    displayName,
    installed: path !== null,
    path,
    version,
    minVersion: minVersion ?? null,
    meetsMinVersion,
    verifiedVersions,
    verified: version !== null && verifiedVersions.includes(version),
  };
}

/** Installs with the first method that suits the target platform and is not interactive. */
export async function installRemoteAgent(
  adapter: AgentAdapter,
  target: RemoteInvocation,
  onLine: (line: string) => void,
): Promise<InstallMethod> {
  const method = await chooseMethod(adapter, target);
  const argv = ['sh', '-c', method.command];
  const { exitCode, stderr, stdout } = await runRemoteCommand(target, {
    argv,
    hostEnv: process.env,
    timeoutMs: INSTALL_LIMIT_MS,
    onLine,
  });
  if (exitCode === 0) return method;
  const output = (stderr.trim() || stdout.trim()).split('\n').at(-1) ?? '';
  throw new AgentMuxError('SPAWN_ERROR', `"${method.command}" failed on the target with code ${exitCode}: ${output}`, {
    agent: adapter.agent,
  });
}

async function chooseMethod(adapter: AgentAdapter, target: RemoteInvocation): Promise<InstallMethod> {
  const { agent, displayName, installMethods = [] } = adapter;
  const platform = await readPlatform(target);
  const fits = installMethods.filter(({ platforms }) => platforms === 'all' || platforms.includes(platform));
  const method = fits.find(({ type, command }) => command !== '' && type !== 'manual' && type !== 'built-in');
  if (!method) {
    const hint = fits.map(({ notes, command }) => notes ?? command).find(Boolean);
    const message = `no unattended install method for ${displayName} on ${platform}`;
    throw new AgentMuxError('CAPABILITY_ERROR', message, { agent, hint });
  }
  if (target.mode === 'docker') {
    throw new AgentMuxError('CAPABILITY_ERROR', `${target.image} is an image: changes to its container are not kept`, {
      agent,
      hint: `add this to its Dockerfile: RUN ${method.command}`,
    });
  }
  return method;
}

async function readPlatform(target: RemoteInvocation): Promise<Platform> {
  const name = (await query(target, ['uname', '-s'])).stdout.trim();
  const platform = PLATFORMS[name];
  if (platform) return platform;
  throw new AgentMuxError('CAPABILITY_ERROR', `unsupported target platform: ${name || 'unknown'}`);
}

async function findPath({ cliCommand }: AgentAdapter, target: RemoteInvocation): Promise<string | null> {
  // Passed as an argument, never as part of the script.
  const { exitCode, stdout } = await query(target, ['sh', '-c', 'command -v -- "$1"', 'sh', cliCommand]);
  return exitCode === 0 ? (stdout.trim().split('\n').at(-1) ?? null) : null;
}

async function readVersion(
  { versionArgs }: AgentAdapter,
  target: RemoteInvocation,
  path: string,
): Promise<string | null> {
  const { stdout, stderr } = await query(target, [path, ...(versionArgs ?? ['--version'])]);
  return parseVersion(stdout) ?? parseVersion(stderr);
}

function query(target: RemoteInvocation, argv: readonly string[]) {
  return runRemoteCommand(target, { argv, hostEnv: process.env, timeoutMs: QUERY_TIMEOUT_MS });
}
