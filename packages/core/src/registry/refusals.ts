import { findNotExecutable } from '../binaries/lookup-binary.ts';
import type { AgentAdapter } from '../contract/adapter.ts';
import type { InstallMethod } from '../contract/capabilities.ts';
import { AgentMuxError } from '../contract/errors.ts';
import { findNearNames } from '../near-names.ts';
import { shellCommand } from '../process/shell-quote.ts';

/** No adapter has this name; says which ones are near it. */
export function unknownAgent(agent: string, known: readonly string[]): AgentMuxError {
  const near = findNearNames(agent, known);
  const list = known.length > 0 ? `Known agents: ${[...known].sort().join(', ')}.` : 'No agent is registered.';
  const hint = near.length > 0 ? `Did you mean ${near.join(' or ')}?` : list;
  return new AgentMuxError('UNKNOWN_AGENT', `There is no agent "${agent}"`, { agent, hint });
}

interface Machine {
  env?: NodeJS.ProcessEnv;
  platform?: NodeJS.Platform;
}

/** The agent's command cannot be run here: it is not installed, or its file is not executable. Says what to do. */
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
      ? `Install it with: ${ways.join('   or: ')}`
      : `Install it so that "${adapter.cliCommand}" is on PATH.`;
  const message = `${adapter.displayName} is not installed: "${adapter.cliCommand}" was not found`;
  return new AgentMuxError('AGENT_NOT_INSTALLED', message, { agent: adapter.agent, hint });
}

export function installMethodsFor(adapter: AgentAdapter, platform: NodeJS.Platform): InstallMethod[] {
  const methods = adapter.installMethods ?? [];
  return methods.filter(({ platforms }) => platforms === 'all' || platforms.some((name) => name === platform));
}
