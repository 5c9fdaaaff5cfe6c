import type { SpawnArgs } from '../../contract/adapter.ts';
import { ValidationError, type ValidationIssue } from '../../contract/errors.ts';
import type { Invocation } from '../../contract/options.ts';
import type { CleanUp, SpawnPlan } from '../../process/remote/link.ts';
import {
  BOOT_ARGS,
  BOOT_COMMAND,
  type RemoteLaunch,
  toLine,
  writeLaunchScript,
  writeStopScript,
} from '../../process/remote/preamble.ts';
import { findOptionIssues } from '../options/options.ts';

/** Host variables that each local client needs in addition to the common ones. */
export const INVOCATION_ENV_ALLOW_LIST: Readonly<Record<Invocation['mode'], readonly string[]>> = {
  local: [],
  docker: ['DOCKER_*'],
  ssh: ['SSH_AUTH_SOCK', 'SSH_ASKPASS'],
  k8s: ['KUBECONFIG', 'KUBERNETES_*'],
};

/** Any invocation other than on this machine. */
export type RemoteInvocation = Exclude<Invocation, { mode: 'local' }>;

export interface WrappedInvocation {
  /** Unique to this launch and unguessable. */
  token: string;
  /** Folder for helper files on the remote side. */
  scratchDir: string;
  /** Environment of the remote agent. Nothing else of this machine's environment is passed. */
  agentEnv: Readonly<Record<string, string>>;
}

/** Below the remote `/tmp`, which need not be a folder on this machine. */
export function remoteScratchDir(token: string): string {
  return `/tmp/agent-mux-${token}`;
}

/**
 * Wraps a command to run remotely through its client (`docker`, `ssh`, `kubectl`). The command line of the client is
 * always the same; arguments, variables, files and the prompt follow over stdin (see `remote/preamble.ts`). `spawn.env`
 * becomes the environment of the client.
 */
export function wrapInvocation(
  spawn: SpawnArgs,
  remote: RemoteInvocation,
  { token, scratchDir, agentEnv }: WrappedInvocation,
): SpawnPlan {
  // Checked again: not every remote command is a run. A host such as `-oProxyCommand=...` would run a command.
  const issues: ValidationIssue[] = findOptionIssues({ invocation: remote });
  for (const name of Object.keys(agentEnv)) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
      issues.push({ field: `env.${name}`, problem: 'is not a valid variable name' });
  }
  if (Object.keys(spawn.links ?? {}).length > 0)
    issues.push({ field: 'links', problem: `cannot be created over ${remote.mode}: their targets are on this host` });
  if (issues.length > 0) throw new ValidationError('invocation', issues);
  const client = clientOf(remote, spawn, token);
  const argv = argvOf(spawn);
  const launch: RemoteLaunch = {
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
    remote: {
      token,
      preamble: toLine(writeLaunchScript(launch)),
      name: client.name,
      program: argv[0] ?? '',
      cleanUp: client.cleanUp ?? { command, args, stdin: stop, always: false },
    },
  };
}

interface RemoteClient {
  name: string;
  /** Runs `BOOT` remotely, with its stdin and streams connected to ours. */
  command: readonly string[];
  /** The agent's remote working directory; undefined for the default one. */
  cwd?: string;
  /** Default: the same command again, with a script that stops the launch. */
  cleanUp?: CleanUp;
}

function clientOf(remote: RemoteInvocation, spawn: SpawnArgs, token: string): RemoteClient {
  switch (remote.mode) {
    case 'docker':
      return docker(remote, spawn, token);
    case 'ssh':
      return ssh(remote, spawn);
    case 'k8s':
      return kubectl(remote);
  }
}

/** Mounts the working directory, at its own path or at `workdir`; `args` come before the image. */
function docker(remote: Extract<Invocation, { mode: 'docker' }>, spawn: SpawnArgs, token: string): RemoteClient {
  const { args = [], workdir = spawn.cwd } = remote;
  const mounted = args.some((arg) =>
    arg.split(/[:,]/).some((part) => part.replace(/^(?:dst|destination|target)=/, '') === workdir),
  );
  const mount = mounted
    ? []
    : ['--mount', ['type=bind', `source=${spawn.cwd}`, `target=${workdir}`].map(csvField).join(',')];
  const name = `agent-mux-${token}`;
  // --init: a process must reap orphans that the agent leaves to the container's first process.
  const run = ['run', '--rm', '-i', '--init', '--name', name, '-w', workdir];
  return {
    name: `docker ${remote.image}`,
    command: ['docker', ...run, ...mount, ...args, remote.image, ...BOOT_ARGS],
    cleanUp: { command: 'docker', args: ['rm', '--force', name], always: true },
  };
}

/**
 * Without `remoteCwd`, uses the same path as here: an agent in a wrong folder is worse than one that does not start.
 * ssh uses the first of duplicate options: required ones come before `args`, defaults after them.
 */
function ssh(remote: Extract<Invocation, { mode: 'ssh' }>, spawn: SpawnArgs): RemoteClient {
  const destination = remote.user === undefined ? remote.host : `${remote.user}@${remote.host}`;
  const port = remote.port === undefined ? [] : ['-p', String(remote.port)];
  const must = ['-T', '-o', 'BatchMode=yes', '-o', 'RemoteCommand=none'];
  const alive = ['-o', 'ServerAliveInterval=15', '-o', 'ServerAliveCountMax=3'];
  return {
    name: `ssh ${destination}`,
    command: ['ssh', ...must, ...port, ...(remote.args ?? []), ...alive, '--', destination, BOOT_COMMAND],
    cwd: remote.remoteCwd ?? spawn.cwd,
  };
}

/** Runs in the container's own working directory. */
function kubectl(remote: Extract<Invocation, { mode: 'k8s' }>): RemoteClient {
  const namespace = remote.namespace === undefined ? [] : [`--namespace=${remote.namespace}`];
  const container = remote.container === undefined ? [] : [`--container=${remote.container}`];
  return {
    name: `kubectl exec ${remote.pod}`,
    command: [
      'kubectl',
      'exec',
      '-i',
      ...namespace,
      ...container,
      ...(remote.args ?? []),
      remote.pod,
      '--',
      ...BOOT_ARGS,
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
