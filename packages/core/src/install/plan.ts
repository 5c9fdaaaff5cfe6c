import { lookupBinary } from '../binaries/lookup-binary.ts';
import type { AgentAdapter } from '../contract/adapter.ts';
import type { InstallMethod } from '../contract/capabilities.ts';
import { CapabilityError, ValidationError } from '../contract/errors.ts';
import type { InstallAction, InstallPlan, InstallPlanOptions, PlannedCommand } from '../contract/upkeep.ts';
import { installMethodsFor } from '../registry/refusals.ts';
import { needsRoot, planCommand, planWords, programOf } from './command-line.ts';
import type { Origin } from './origin.ts';
import { addVersion, deriveWords } from './package-managers.ts';

const VERSION = /^[0-9A-Za-z][0-9A-Za-z.+_-]{0,99}$/;

/** Throws CapabilityError with what to do by hand where no command is known. */
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
      `${adapter.displayName} cannot be installed in a chosen version this way`,
      `without a version: ${ways}`,
    );
  }
  const method = await findFirstHere(fits, env, platform);
  const words = version === undefined ? null : addVersion(method, version);
  return makePlan(
    { agent: adapter.agent, action: 'install', platform },
    method,
    words ? planWords(words) : planCommand(method.command, platform),
  );
}

/** For an agent that is here. `origin` says how it came. */
export function planChange(
  adapter: AgentAdapter,
  action: 'update' | 'uninstall',
  origin: Origin | null,
  { method: type, platform = process.platform }: InstallPlanOptions,
): InstallPlan {
  const methods = installMethodsFor(adapter, platform);
  // A binary that no package manager has put there was put there by the vendor's script.
  const wanted = type ?? origin?.type ?? 'curl';
  const method = methods.find((each) => each.type === wanted);
  const command = method && planChangeCommand(method, action, origin?.type === wanted ? origin : null, platform);
  if (method && command && !needsRoot(command.line))
    return makePlan({ agent: adapter.agent, action, platform }, method, command);
  throw refuseAutomatic(adapter, action, origin, methods);
}

function planChangeCommand(
  method: InstallMethod,
  action: 'update' | 'uninstall',
  origin: Origin | null,
  platform: NodeJS.Platform,
): PlannedCommand | undefined {
  const told = method[action];
  if (told !== undefined) return planCommand(told, platform);
  const words = deriveWords(method, action, origin);
  return words ? planWords(words) : undefined;
}

function makePlan(
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
  const asked = type === undefined ? methods : methods.filter((method) => method.type === type);
  if (type !== undefined && asked.length === 0) {
    const known = [...new Set(methods.map((method) => method.type))].join(', ') || 'none';
    throw new CapabilityError(
      adapter.agent,
      'method',
      `${adapter.displayName} cannot be installed by ${type} on ${platform}`,
      `the ways on ${platform}: ${known}`,
    );
  }
  const usable = asked.filter((method) => isCommand(method));
  if (usable.length > 0) return usable;
  throw refuseAutomatic(adapter, action, null, asked);
}

function isCommand({ type, command }: InstallMethod): boolean {
  return type !== 'manual' && type !== 'built-in' && command !== '' && !needsRoot(command);
}

/** The first whose program is on this machine; for another platform simply the first. */
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
  origin: Origin | null,
  methods: readonly InstallMethod[],
): CapabilityError {
  const ways = methods.map(({ command, notes }) => [command, notes && `(${notes})`].filter(Boolean).join(' '));
  const told = ways.length > 0 ? `by hand: ${ways.join('   or: ')}` : `put "${cliCommand}" on PATH by hand`;
  if (action === 'install') {
    return new CapabilityError(agent, 'install', `${displayName} is installed by hand, not by a command`, told);
  }
  const verb = action === 'update' ? 'updated' : 'uninstalled';
  const how = origin?.by ? `it was installed by ${origin.by}` : 'no command for it is known';
  const place = origin ? ` (${origin.path})` : '';
  const hint = `${action === 'update' ? 'update' : 'remove'} it${place} the way it was installed${ways.length > 0 ? `; it can be installed by: ${ways.join('   or: ')}` : ''}`;
  return new CapabilityError(agent, action, `${displayName} cannot be ${verb} by amux: ${how}`, hint);
}
