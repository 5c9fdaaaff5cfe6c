import type { SpawnArgs } from '../contract/adapter.ts';
import { type Fault, ValidationError } from '../contract/errors.ts';
import type { Invocation } from '../contract/options.ts';
import { isSecretName, redactSecrets } from './redact.ts';
import { shellCommand, shellQuote } from './shell-quote.ts';

/** What the local client of each place needs of the host's environment, beside what any program needs. */
export const INVOCATION_ENV_ALLOW_LIST: Readonly<Record<Invocation['mode'], readonly string[]>> = {
  local: [],
  docker: ['DOCKER_*'],
  ssh: ['SSH_AUTH_SOCK', 'SSH_ASKPASS'],
  k8s: ['KUBECONFIG', 'KUBERNETES_*'],
};

/**
 * The same command, run in another place. `envNames` are the variables of `spawn.env` that are meant for the agent there.
 * No value of a secret ever stands in an argument, which every user of this machine can read:
 * - docker gets names only and takes the values from its own environment;
 * - ssh gets secrets through SendEnv (the server's AcceptEnv must name them), the rest within the remote command;
 * - kubectl has no way for secrets: they must be in the pod already, and are refused here.
 */
export function wrapInvocation(spawn: SpawnArgs, invocation: Invocation, envNames: readonly string[]): SpawnArgs {
  if (invocation.mode === 'local') return spawn;
  const names = [...new Set(envNames)].filter((name) => spawn.env[name] !== undefined);
  const faults = commonFaults(spawn, names);
  const wrapped = wrap(spawn, invocation, names, faults);
  if (faults.length > 0) throw new ValidationError('invocation', faults);
  return { ...spawn, ...wrapped, shell: false };
}

type Command = Pick<SpawnArgs, 'command' | 'args'>;

function wrap(
  spawn: SpawnArgs,
  invocation: Exclude<Invocation, { mode: 'local' }>,
  names: readonly string[],
  faults: Fault[],
): Command {
  switch (invocation.mode) {
    case 'docker':
      return docker(spawn, invocation, names, faults);
    case 'ssh':
      return ssh(spawn, invocation, names, faults);
    case 'k8s':
      return kubectl(spawn, invocation, names, faults);
  }
}

/** The working folder is mounted, at its own path or at `workdir`; `args` come before the image. */
function docker(
  spawn: SpawnArgs,
  place: Extract<Invocation, { mode: 'docker' }>,
  names: readonly string[],
  faults: Fault[],
): Command {
  refuseFlag('image', place.image, faults);
  const { args = [], workdir = spawn.cwd } = place;
  const mounted = args.some((arg) =>
    arg.split(/[:,]/).some((part) => part.replace(/^(?:dst|destination|target)=/, '') === workdir),
  );
  const mount = mounted
    ? []
    : ['--mount', ['type=bind', `source=${spawn.cwd}`, `target=${workdir}`].map(csvField).join(',')];
  return {
    command: 'docker',
    // --init: as the first process of a container the agent itself would ignore the signals that end it.
    args: [
      'run',
      '--rm',
      '-i',
      '--init',
      '-w',
      workdir,
      ...mount,
      ...names.flatMap((name) => ['-e', name]),
      ...args,
      place.image,
      ...argvOf(spawn),
    ],
  };
}

/** Without `remoteCwd` the same path as here: an agent in a wrong folder is worse than one that does not start. */
function ssh(
  spawn: SpawnArgs,
  place: Extract<Invocation, { mode: 'ssh' }>,
  names: readonly string[],
  faults: Fault[],
): Command {
  const destination = place.user === undefined ? place.host : `${place.user}@${place.host}`;
  refuseFlag(place.user === undefined ? 'host' : 'user', destination, faults);
  const open = names.filter((name) => !isSecret(name, spawn.env[name] ?? ''));
  const secret = names.filter((name) => !open.includes(name));
  const assignments = open.map((name) => `${name}=${spawn.env[name]}`);
  const program = assignments.length > 0 ? ['env', ...assignments, ...argvOf(spawn)] : argvOf(spawn);
  const port = place.port === undefined ? [] : ['-p', String(place.port)];
  const send = secret.flatMap((name) => ['-o', `SendEnv=${name}`]);
  const script = `cd ${remotePath(place.remoteCwd ?? spawn.cwd)} && exec ${shellCommand(program)}`;
  return {
    command: 'ssh',
    args: ['-o', 'BatchMode=yes', '-T', ...port, ...send, ...(place.args ?? []), '--', destination, script],
  };
}

/** Runs in the container's own working folder. */
function kubectl(
  spawn: SpawnArgs,
  place: Extract<Invocation, { mode: 'k8s' }>,
  names: readonly string[],
  faults: Fault[],
): Command {
  refuseFlag('pod', place.pod, faults);
  for (const name of names.filter((each) => isSecret(each, spawn.env[each] ?? ''))) {
    faults.push({
      field: `env.${name}`,
      problem: 'cannot be handed to a pod without showing it: set it in the pod itself',
    });
  }
  const namespace = place.namespace === undefined ? [] : [`--namespace=${place.namespace}`];
  const container = place.container === undefined ? [] : [`--container=${place.container}`];
  const assignments = names.map((name) => `${name}=${spawn.env[name]}`);
  const program = assignments.length > 0 ? ['env', ...assignments, ...argvOf(spawn)] : argvOf(spawn);
  return {
    command: 'kubectl',
    args: ['exec', '-i', ...namespace, ...container, ...(place.args ?? []), place.pod, '--', ...program],
  };
}

function commonFaults(spawn: SpawnArgs, names: readonly string[]): Fault[] {
  const faults: Fault[] = [];
  if (Object.keys(spawn.files ?? {}).length > 0) {
    faults.push({
      field: 'mode',
      problem: 'the agent needs helper files for these options, and they are only on this machine',
    });
  }
  for (const name of names) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
      faults.push({ field: `env.${name}`, problem: 'is no name for a variable' });
  }
  return faults;
}

/** A name such as `-oProxyCommand=...` would be an option of the client, and run a command here. */
function refuseFlag(field: string, value: string, faults: Fault[]): void {
  if (value.startsWith('-')) faults.push({ field, problem: 'must not begin with -' });
}

function argvOf(spawn: SpawnArgs): string[] {
  return spawn.shell ? ['sh', '-c', [spawn.command, ...spawn.args].join(' ')] : [spawn.command, ...spawn.args];
}

function isSecret(name: string, value: string): boolean {
  return isSecretName(name) || redactSecrets(value) !== value;
}

/** A leading `~` is the remote user's home, which only the remote shell knows. */
function remotePath(path: string): string {
  if (path === '~') return '"$HOME"';
  return path.startsWith('~/')
    ? `"$HOME"/${shellQuote(path.slice(2))}`
    : shellQuote(path.startsWith('-') ? `./${path}` : path);
}

/** docker reads the value of --mount as a line of CSV. */
function csvField(field: string): string {
  return /[",\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}
