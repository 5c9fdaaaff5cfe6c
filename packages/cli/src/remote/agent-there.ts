import {
  type AgentAdapter,
  AgentMuxError,
  compareVersions,
  type Elsewhere,
  type InstallMethod,
  type Platform,
  parseVersion,
  runInPlace,
} from '@agent-mux/core';

const LOOK_LIMIT_MS = 60_000;
const INSTALL_LIMIT_MS = 15 * 60_000;

/** What `uname -s` says, in our words. */
const PLATFORMS: Readonly<Record<string, Platform>> = { Linux: 'linux', Darwin: 'darwin' };

/** What is known of an agent in another place. */
export interface AgentThere {
  agent: string;
  displayName: string;
  installed: boolean;
  path: string | null;
  version: string | null;
  minVersion: string | null;
  meetsMinVersion: boolean;
  provenVersions: readonly string[];
  proven: boolean;
}

/** Asks the place itself; nothing is changed there. */
export async function findThere(adapter: AgentAdapter, place: Elsewhere): Promise<AgentThere> {
  const { agent, displayName, minVersion, provenVersions = [] } = adapter;
  const path = await findPathThere(adapter, place);
  const version = path === null ? null : await readVersionThere(adapter, place, path);
  const meetsMinVersion = minVersion === undefined || (version !== null && compareVersions(version, minVersion) >= 0);
  return {
    agent,
    displayName,
    installed: path !== null,
    path,
    version,
    minVersion: minVersion ?? null,
    meetsMinVersion,
    provenVersions,
    proven: version !== null && provenVersions.includes(version),
  };
}

/** The first way that suits the platform there and needs nobody to answer. */
export async function installThere(
  adapter: AgentAdapter,
  place: Elsewhere,
  onLine: (line: string) => void,
): Promise<InstallMethod> {
  const method = await chooseMethodThere(adapter, place);
  const argv = ['sh', '-c', method.command];
  const { exitCode, stderr, stdout } = await runInPlace(place, {
    argv,
    hostEnv: process.env,
    timeoutMs: INSTALL_LIMIT_MS,
    onLine,
  });
  if (exitCode === 0) return method;
  const said = (stderr.trim() || stdout.trim()).split('\n').at(-1) ?? '';
  throw new AgentMuxError('SPAWN_ERROR', `"${method.command}" failed there with code ${exitCode}: ${said}`, {
    agent: adapter.agent,
  });
}

async function chooseMethodThere(adapter: AgentAdapter, place: Elsewhere): Promise<InstallMethod> {
  const { agent, displayName, installMethods = [] } = adapter;
  const platform = await readPlatformThere(place);
  const fits = installMethods.filter(({ platforms }) => platforms === 'all' || platforms.includes(platform));
  const method = fits.find(({ type, command }) => command !== '' && type !== 'manual' && type !== 'built-in');
  if (!method) {
    const hint = fits.map(({ notes, command }) => notes ?? command).find(Boolean);
    const message = `there is no way to install ${displayName} on ${platform} without a person`;
    throw new AgentMuxError('CAPABILITY_ERROR', message, { agent, hint });
  }
  if (place.mode === 'docker') {
    throw new AgentMuxError(
      'CAPABILITY_ERROR',
      `${place.image} is an image: what is installed in a container goes with it`,
      {
        agent,
        hint: `add this to its Dockerfile: RUN ${method.command}`,
      },
    );
  }
  return method;
}

async function readPlatformThere(place: Elsewhere): Promise<Platform> {
  const name = (await look(place, ['uname', '-s'])).stdout.trim();
  const platform = PLATFORMS[name];
  if (platform) return platform;
  throw new AgentMuxError('CAPABILITY_ERROR', `the place runs ${name || 'an unknown system'}, which is not supported`);
}

async function findPathThere({ cliCommand }: AgentAdapter, place: Elsewhere): Promise<string | null> {
  // Words of a shell script, never a part of it.
  const { exitCode, stdout } = await look(place, ['sh', '-c', 'command -v -- "$1"', 'sh', cliCommand]);
  return exitCode === 0 ? (stdout.trim().split('\n').at(-1) ?? null) : null;
}

async function readVersionThere({ versionArgs }: AgentAdapter, place: Elsewhere, path: string): Promise<string | null> {
  const { stdout, stderr } = await look(place, [path, ...(versionArgs ?? ['--version'])]);
  return parseVersion(stdout) ?? parseVersion(stderr);
}

function look(place: Elsewhere, argv: readonly string[]) {
  return runInPlace(place, { argv, hostEnv: process.env, timeoutMs: LOOK_LIMIT_MS });
}
