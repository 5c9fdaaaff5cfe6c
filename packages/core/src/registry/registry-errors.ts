import { findNotExecutable } from '../binaries/lookup-binary.ts';
import type { AgentAdapter } from '../contract/adapter.ts';
import type { InstallMethod } from '../contract/capabilities.ts';
import { AgentMuxError } from '../contract/errors.ts';
import { shellCommand } from '../process/shell-quote.ts';
import { suggestNames } from '../suggest-names.ts';

/** Error for an unknown agent, with similar names. */
export function unknownAgent(agent: string, known: readonly string[]): AgentMuxError {
  const near = suggestNames(agent, known);
  const list = known.length > 0 ? `known agents: ${[...known].sort().join(', ')}` : 'no agents are registered';
  const hint = near.length > 0 ? `did you mean ${near.join(' or ')}?` : list;
  return new AgentMuxError('UNKNOWN_AGENT', `unknown agent "${agent}"`, { agent, hint });
}

interface Machine {
  env?: NodeJS.ProcessEnv;
  platform?: NodeJS.Platform;
}

/** Error for an agent whose command is not installed or not executable, with a hint. */
export function notInstalled(adapter: AgentAdapter, { env, platform = process.platform }: Machine = {}): AgentMuxError {
  const file = findNotExecutable(adapter.cliCommand, { platform, ...(env ? { env } : {}) });
  if (file !== undefined) {
    const message = `${adapter.displayName} cannot be run: "${file}" is not executable`;
    const hint = `run "${shellCommand(['chmod', '+x', file])}"`;
    return new AgentMuxError('AGENT_NOT_INSTALLED', message, { agent: adapter.agent, hint });
  }
  const ways = installMethodsFor(adapter, platform)
    .map((method) => method.command)
    .filter(Boolean);
  const hint =
    ways.length > 0
      ? `install it with: ${ways.join('   or: ')}`
      : `install it so that "${adapter.cliCommand}" is on PATH`;
  const message = `${adapter.displayName} is not installed: "${adapter.cliCommand}" not found`;
  return new AgentMuxError('AGENT_NOT_INSTALLED', message, { agent: adapter.agent, hint });
}

export function installMethodsFor(adapter: AgentAdapter, platform: NodeJS.Platform): InstallMethod[] {
  const methods = adapter.installMethods ?? [];
  return methods.filter(({ platforms }) => platforms === 'all' || platforms.some((name) => name === platform));
}
