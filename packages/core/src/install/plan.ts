import { lookupBinary } from '../binaries/lookup-binary.ts';
import type { AgentAdapter } from '../contract/adapter.ts';
import type { InstallMethod } from '../contract/capabilities.ts';
import { CapabilityError, ValidationError } from '../contract/errors.ts';
import type { InstallAction, InstallPlan, InstallPlanOptions, PlannedCommand } from '../contract/management.ts';
import { installMethodsFor } from '../registry/registry-errors.ts';
import { needsRoot, planCommand, planCommandArgs, programOf } from './command-line.ts';
import type { InstallOrigin } from './origin.ts';
import { addVersion, deriveCommandArgs } from './package-managers.ts';

const VERSION = /^[0-9A-Za-z][0-9A-Za-z.+_-]{0,99}$/;

/** Throws CapabilityError with manual steps if no command is known. */
export async function planInstall(
  adapter: AgentAdapter,
  env: NodeJS.ProcessEnv,
  { version, method: type, platform = process.platform }: InstallPlanOptions,
): Promise<InstallPlan> {
  if (version !== undefined && !VERSION.test(version)) {
    throw new ValidationError('version', [{ field: '', problem: `"${version}" is not a version` }], {
      agent: adapter.agent,
    });
  }
  const usable = listRunnable(adapter, platform, type, 'install');
  const fits = version === undefined ? usable : usable.filter((method) => addVersion(method, version));
  if (version !== undefined && fits.length === 0) {
    const ways = usable.map(({ command }) => command).join('   or: ');
    throw new CapabilityError(
      adapter.agent,
      'version',
      `this method cannot install a specific version of ${adapter.displayName}`,
      `without a version: ${ways}`,
    );
  }
  const method = await findFirstHere(fits, env, platform);
  const args = version === undefined ? null : addVersion(method, version);
  return createPlan(
    { agent: adapter.agent, action: 'install', platform },
    method,
    args ? planCommandArgs(args) : planCommand(method.command, platform),
  );
}

/** For an installed agent. `origin` says how it was installed. */
export function planChange(
  adapter: AgentAdapter,
  action: 'update' | 'uninstall',
  origin: InstallOrigin | null,
  { method: type, platform = process.platform }: InstallPlanOptions,
): InstallPlan {
  const methods = installMethodsFor(adapter, platform);
  // A binary outside of any package manager was installed by the official script.
  const wanted = type ?? origin?.type ?? 'curl';
  const method = methods.find((each) => each.type === wanted);
  const command = method && planChangeCommand(method, action, origin?.type === wanted ? origin : null, platform);
  if (method && command && !needsRoot(command.line))
    return createPlan({ agent: adapter.agent, action, platform }, method, command);
  throw refuseAutomatic(adapter, action, origin, methods);
}

function planChangeCommand(
  method: InstallMethod,
  action: 'update' | 'uninstall',
  origin: InstallOrigin | null,
  platform: NodeJS.Platform,
): PlannedCommand | undefined {
  const custom = method[action];
  if (custom !== undefined) return planCommand(custom, platform);
  const args = deriveCommandArgs(method, action, origin);
  return args ? planCommandArgs(args) : undefined;
}

function createPlan(
  about: Pick<InstallPlan, 'agent' | 'action' | 'platform'>,
  { type, notes }: InstallMethod,
  command: PlannedCommand,
): InstallPlan {
  return { ...about, method: type, commands: [command], ...(notes ? { notes } : {}) };
}

function listRunnable(
  adapter: AgentAdapter,
  platform: NodeJS.Platform,
  type: InstallMethod['type'] | undefined,
  action: InstallAction,
): InstallMethod[] {
  const methods = installMethodsFor(adapter, platform);
  const matching = type === undefined ? methods : methods.filter((method) => method.type === type);
  if (type !== undefined && matching.length === 0) {
    const known = [...new Set(methods.map((method) => method.type))].join(', ') || 'none';
    throw new CapabilityError(
      adapter.agent,
      'method',
      `${adapter.displayName} cannot be installed with ${type} on ${platform}`,
      `methods on ${platform}: ${known}`,
    );
  }
  const usable = matching.filter((method) => isCommand(method));
  if (usable.length > 0) return usable;
  throw refuseAutomatic(adapter, action, null, matching);
}

function isCommand({ type, command }: InstallMethod): boolean {
  return type !== 'manual' && type !== 'built-in' && command !== '' && !needsRoot(command);
}

/** The first method whose program is installed; for another platform simply the first. */
async function findFirstHere(
  methods: readonly InstallMethod[],
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform,
): Promise<InstallMethod> {
  if (platform === process.platform) {
    for (const method of methods) {
      if ((await lookupBinary(programOf(method.command), { env })) !== null) return method;
    }
  }
  return methods[0]!;
}

function refuseAutomatic(
  { agent, displayName, cliCommand }: AgentAdapter,
  action: InstallAction,
  origin: InstallOrigin | null,
  methods: readonly InstallMethod[],
): CapabilityError {
  const ways = methods.map(({ command, notes }) => [command, notes && `(${notes})`].filter(Boolean).join(' '));
  const manual = ways.length > 0 ? `run manually: ${ways.join('   or: ')}` : `put "${cliCommand}" on PATH manually`;
  if (action === 'install') {
    return new CapabilityError(agent, 'install', `${displayName} must be installed manually`, manual);
  }
  const verb = action === 'update' ? 'updated' : 'uninstalled';
  const how = origin?.by ? `it was installed by ${origin.by}` : 'no command is known';
  const location = origin ? ` (${origin.path})` : '';
  const hint = `${action === 'update' ? 'update' : 'remove'} it${location} the way it was installed${ways.length > 0 ? `; install commands: ${ways.join('   or: ')}` : ''}`;
  return new CapabilityError(agent, action, `${displayName} cannot be ${verb} by amux: ${how}`, hint);
}
