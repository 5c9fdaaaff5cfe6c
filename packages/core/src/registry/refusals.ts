import type { AgentAdapter } from '../contract/adapter.ts';
import type { InstallMethod } from '../contract/capabilities.ts';
import { AgentMuxError } from '../contract/errors.ts';
import { findNearNames } from '../near-names.ts';

/** No adapter has this name; says which ones are near it. */
export function unknownAgent(agent: string, known: readonly string[]): AgentMuxError {
  const near = findNearNames(agent, known);
  const list = known.length > 0 ? `Known agents: ${[...known].sort().join(', ')}.` : 'No agent is registered.';
  const hint = near.length > 0 ? `Did you mean ${near.join(' or ')}?` : list;
  return new AgentMuxError('UNKNOWN_AGENT', `There is no agent "${agent}"`, { agent, hint });
}

/** The agent's command is not on this machine; says how to get it here. */
export function notInstalled(adapter: AgentAdapter, platform: NodeJS.Platform = process.platform): AgentMuxError {
  const ways = installMethodsFor(adapter, platform)
    .map((method) => method.command)
    .filter(Boolean);
  const hint =
    ways.length > 0
      ? `Install it with: ${ways.join('   or: ')}`
      : `Install it so that "${adapter.cliCommand}" is on PATH.`;
  const message = `${adapter.displayName} is not installed: "${adapter.cliCommand}" was not found`;
  return new AgentMuxError('AGENT_NOT_INSTALLED', message, { agent: adapter.agent, hint });
}

export function installMethodsFor(adapter: AgentAdapter, platform: NodeJS.Platform): InstallMethod[] {
  const methods = adapter.installMethods ?? [];
  return methods.filter(({ platforms }) => platforms === 'all' || platforms.some((name) => name === platform));
}
