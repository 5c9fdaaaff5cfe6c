import type { SpawnArgs } from '../../contract/adapter.ts';
import { type Fault, ValidationError } from '../../contract/errors.ts';
import type { Invocation } from '../../contract/options.ts';
import type { CleanUp, SpawnPlan } from '../../process/place/link.ts';
import {
  BOOT_COMMAND,
  BOOT_WORDS,
  type Launch,
  toLine,
  writeLaunchScript,
  writeStopScript,
} from '../../process/place/preamble.ts';
import { optionFaults } from '../options/options.ts';

/** What the local client of each place needs of the host's environment, beside what any program needs. */
export const INVOCATION_ENV_ALLOW_LIST: Readonly<Record<Invocation['mode'], readonly string[]>> = {
  local: [],
  docker: ['DOCKER_*'],
  ssh: ['SSH_AUTH_SOCK', 'SSH_ASKPASS'],
  k8s: ['KUBECONFIG', 'KUBERNETES_*'],
};

/** A place other than this machine. */
export type Elsewhere = Exclude<Invocation, { mode: 'local' }>;

export interface Wrapping {
  /** Of this launch alone, not to be guessed. */
  token: string;
  /** Where helper files lie in the other place. */
  scratchDir: string;
  /** What the agent there is given. Nothing else of this machine's environment goes along. */
  agentEnv: Readonly<Record<string, string>>;
}

/** Below `/tmp` of the other place, which need not be a folder here. */
export function placeScratchDir(token: string): string {
  return `/tmp/agent-mux-${token}`;
}

/**
 * The same command, run in another place by its client (`docker`, `ssh`, `kubectl`). What the client is told on its
 * command line is always the same few words; arguments, variables, files and the prompt follow over stdin (see
 * `place/preamble.ts`). `spawn.env` becomes the environment of the client.
 */
export function wrapInvocation(
  spawn: SpawnArgs,
  place: Elsewhere,
  { token, scratchDir, agentEnv }: Wrapping,
): SpawnPlan {
  // Again here: not everything that goes there is a run. A host such as `-oProxyCommand=...` would run a command.
  const faults: Fault[] = optionFaults({ invocation: place });
  for (const name of Object.keys(agentEnv)) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
      faults.push({ field: `env.${name}`, problem: 'is no name for a variable' });
  }
  if (Object.keys(spawn.links ?? {}).length > 0)
    faults.push({ field: 'links', problem: `cannot be created by ${place.mode}: their targets are on this host` });
  if (faults.length > 0) throw new ValidationError('invocation', faults);
  const client = clientOf(place, spawn, token);
  const argv = argvOf(spawn);
  const launch: Launch = {
    token,
    folder: scratchDir,
    argv,
    env: agentEnv,
    cwd: client.cwd,
    files: spawn.files,
    stdin: spawn.stdin,
  };
  const { files: _files, stdin: _stdin, ...rest } = spawn;
  const [command = '', ...args] = client.command;
  const stop = toLine(writeStopScript(launch));
  return {
    ...rest,
    command,
    args,
    shell: false,
    place: {
      token,
      preamble: toLine(writeLaunchScript(launch)),
      name: client.name,
      program: argv[0] ?? '',
      cleanUp: client.cleanUp ?? { command, args, stdin: stop, always: false },
    },
  };
}

interface PlaceClient {
  name: string;
  /** Runs `BOOT` there, with its stdin and its streams bound to ours. */
  command: readonly string[];
  /** The agent's working folder there; undefined: the place's own. */
  cwd?: string;
  /** Default: the same command once more, told to stop the launch. */
  cleanUp?: CleanUp;
}

function clientOf(place: Elsewhere, spawn: SpawnArgs, token: string): PlaceClient {
  switch (place.mode) {
    case 'docker':
      return docker(place, spawn, token);
    case 'ssh':
      return ssh(place, spawn);
    case 'k8s':
      return kubectl(place);
  }
}

/** The working folder is mounted, at its own path or at `workdir`; `args` come before the image. */
function docker(place: Extract<Invocation, { mode: 'docker' }>, spawn: SpawnArgs, token: string): PlaceClient {
  const { args = [], workdir = spawn.cwd } = place;
  const mounted = args.some((arg) =>
    arg.split(/[:,]/).some((part) => part.replace(/^(?:dst|destination|target)=/, '') === workdir),
  );
  const mount = mounted
    ? []
    : ['--mount', ['type=bind', `source=${spawn.cwd}`, `target=${workdir}`].map(csvField).join(',')];
  const name = `agent-mux-${token}`;
  // --init: somebody must reap what the agent leaves to the first process of the container.
  const run = ['run', '--rm', '-i', '--init', '--name', name, '-w', workdir];
  return {
    name: `docker ${place.image}`,
    command: ['docker', ...run, ...mount, ...args, place.image, ...BOOT_WORDS],
    cleanUp: { command: 'docker', args: ['rm', '--force', name], always: true },
  };
}

/**
 * Without `remoteCwd` the same path as here: an agent in a wrong folder is worse than one that does not start.
 * Of options that are given twice ssh takes the first: ours that must hold stand before `args`, defaults behind them.
 */
function ssh(place: Extract<Invocation, { mode: 'ssh' }>, spawn: SpawnArgs): PlaceClient {
  const destination = place.user === undefined ? place.host : `${place.user}@${place.host}`;
  const port = place.port === undefined ? [] : ['-p', String(place.port)];
  const must = ['-T', '-o', 'BatchMode=yes', '-o', 'RemoteCommand=none'];
  const alive = ['-o', 'ServerAliveInterval=15', '-o', 'ServerAliveCountMax=3'];
  return {
    name: `ssh ${destination}`,
    command: ['ssh', ...must, ...port, ...(place.args ?? []), ...alive, '--', destination, BOOT_COMMAND],
    cwd: place.remoteCwd ?? spawn.cwd,
  };
}

/** Runs in the container's own working folder. */
function kubectl(place: Extract<Invocation, { mode: 'k8s' }>): PlaceClient {
  const namespace = place.namespace === undefined ? [] : [`--namespace=${place.namespace}`];
  const container = place.container === undefined ? [] : [`--container=${place.container}`];
  return {
    name: `kubectl exec ${place.pod}`,
    command: [
      'kubectl',
      'exec',
      '-i',
      ...namespace,
      ...container,
      ...(place.args ?? []),
      place.pod,
      '--',
      ...BOOT_WORDS,
    ],
  };
}

function argvOf(spawn: SpawnArgs): string[] {
  return spawn.shell ? ['sh', '-c', [spawn.command, ...spawn.args].join(' ')] : [spawn.command, ...spawn.args];
}

/** docker reads the value of --mount as a line of CSV. */
function csvField(field: string): string {
  return /[",\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}
