import type { ConfiguredClient } from '@agent-mux/adapters/client';
import {
  AgentMuxError,
  CapabilityError,
  type ResolvedRun,
  type RunHandle,
  type RunOptions,
  readConfigEnv,
  resolveRun,
  resolveTurn,
  secretsOf,
} from '@agent-mux/core';
import { SESSION_VARIABLE } from '../hooks/spool.ts';
import type { Delivery, Launch } from './protocol.ts';

/** A run that was checked and not begun, so that nothing is journaled for one that is refused. */
export interface PreparedRun {
  /** What must not be kept of what it tells. */
  secrets: readonly string[];
  /** Never awaited as it is: a handle is a promise of its result. */
  start(): { handle: RunHandle };
  /** Throws as `handle.send` would. */
  checkTurn(message: Delivery): void;
}

/** Throws what `client.run` would throw, and AGENT_NOT_INSTALLED. */
export async function prepareRun(client: ConfiguredClient, launch: Launch): Promise<PreparedRun> {
  const given: RunOptions = {
    approvalTimeout: 0,
    ...launch.options,
    agent: launch.agent,
    prompt: launch.message.text,
    attachments: launch.message.attachments,
    env: { ...launch.env, ...markOf(launch) },
    runId: launch.runId,
    interactive: false,
  };
  const { profiles, adapters } = client;
  const resolved = resolveRun(given, { profiles, adapterOf: (agent) => adapters.get(agent) });
  const { adapter, mode, options } = resolved;
  if (!adapter.needsNoInstall && options.invocation.mode === 'local') await adapters.lookup(adapter.agent);
  // A mode that takes one turn only ends with it; whoever sends another one is told.
  const interactive = mode.capabilities.supportsMultiTurn;
  return {
    secrets: await findSecrets(resolved, launch),
    start: () => ({ handle: client.run({ ...given, interactive }) }),
    checkTurn: (message) => checkTurn(resolved, message),
  };
}

/** By which hooks know whose they are. Not where sessions share a process: it would be true for the first of them alone. */
function markOf({ group, sessionId }: Launch): Record<string, string> {
  return group === null ? { [SESSION_VARIABLE]: sessionId } : {};
}

function checkTurn({ adapter, mode, options }: ResolvedRun, { text, attachments }: Delivery): void {
  if (!mode.capabilities.supportsMultiTurn)
    throw new CapabilityError(
      adapter.agent,
      'send',
      `${adapter.displayName} in mode "${mode.name}" takes one turn only`,
      'start it again with the same session',
    );
  resolveTurn({ adapter, mode, options }, { text, attachments });
}

/** Those of the variables by their names, and those that the agent's own configuration names as its login. */
async function findSecrets({ adapter, options }: ResolvedRun, { hostEnv, env }: Launch): Promise<string[]> {
  const named = await readConfigEnv(adapter.configSchema, { env: hostEnv, cwd: options.cwd }).catch(() => []);
  const logins = named.flatMap(({ name, login }) => (login && (env[name] ?? hostEnv[name])) || []);
  return [...new Set([...secretsOf(hostEnv, env), ...logins])];
}

/** Steering has no attachments, and is refused before it is journaled. */
export function assertSteerable(client: ConfiguredClient, handle: RunHandle, message: Delivery): void {
  const { supportsSteer } = client.adapters.capabilities(handle.agent, handle.mode);
  if (!supportsSteer)
    throw new CapabilityError(handle.agent, 'steer', `"${handle.mode}" cannot be steered within a turn`);
  if (message.attachments.length > 0)
    throw new AgentMuxError('VALIDATION_ERROR', 'a message into a running turn has no attachments', {
      hint: 'send it as a turn of its own',
    });
}
