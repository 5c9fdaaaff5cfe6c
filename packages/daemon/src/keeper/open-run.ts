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
import type { LaunchSpec, OutgoingMessage } from './protocol.ts';

/** A validated run that is not started yet, so that nothing is journaled for a refused run. */
export interface PreparedRun {
  /** Values that must be redacted from its events. */
  secrets: readonly string[];
  /**
   * Wrapped in an object: a handle is a thenable that resolves to the result, so it must not be returned from async
   * code.
   */
  start(): { handle: RunHandle };
  /** The session opens before the first message is sent. */
  opensFirst: boolean;
  /** Throws the errors of `handle.send`. */
  checkTurn(message: OutgoingMessage): void;
}

/** Throws the errors of `client.run`, and AGENT_NOT_INSTALLED. */
export async function prepareRun(client: ConfiguredClient, launch: LaunchSpec): Promise<PreparedRun> {
  const runOptions: RunOptions = {
    approvalTimeout: 0,
    ...launch.options,
    agent: launch.agent,
    prompt: launch.message.text,
    attachments: launch.message.attachments,
    env: { ...launch.env, ...sessionVariable(launch) },
    runId: launch.runId,
    interactive: false,
  };
  const { profiles, adapters } = client;
  const resolved = resolveRun(runOptions, { profiles, adapterOf: (agent) => adapters.get(agent) });
  const { adapter, mode, options } = resolved;
  if (!adapter.needsNoInstall && options.invocation.mode === 'local') await adapters.lookup(adapter.agent);
  // A single-turn mode ends with its turn; sending another message is an error.
  const interactive = mode.capabilities.supportsMultiTurn;
  return {
    secrets: await findSecrets(resolved, launch),
    opensFirst: mode.live?.waitForSession === true,
    start: () => ({ handle: client.run({ ...runOptions, interactive }) }),
    checkTurn: (message) => checkTurn(resolved, message),
  };
}

/**
 * The variable by which hooks identify their session. Not set for shared processes, where it would fit only the first.
 */
function sessionVariable({ group, sessionId }: LaunchSpec): Record<string, string> {
  return group === null ? { [SESSION_VARIABLE]: sessionId } : {};
}

function checkTurn({ adapter, mode, options }: ResolvedRun, { text, attachments }: OutgoingMessage): void {
  if (!mode.capabilities.supportsMultiTurn)
    throw new CapabilityError(
      adapter.agent,
      'send',
      `${adapter.displayName} in mode "${mode.name}" supports only one turn`,
      'start a new run with the same session',
    );
  resolveTurn({ adapter, mode, options }, { text, attachments });
}

/** Secret variables by name, and variables that the agent's own configuration names as credentials. */
async function findSecrets({ adapter, options }: ResolvedRun, { hostEnv, env }: LaunchSpec): Promise<string[]> {
  const named = await readConfigEnv(adapter.configSchema, { env: hostEnv, cwd: options.cwd }).catch(() => []);
  const logins = named.flatMap(({ name, login }) => (login && (env[name] ?? hostEnv[name])) || []);
  return [...new Set([...secretsOf(hostEnv, env), ...logins])];
}

/** Throws before anything is journaled if the mode cannot be steered or the message has attachments. */
export function assertSteerable(client: ConfiguredClient, handle: RunHandle, message: OutgoingMessage): void {
  const { supportsSteer } = client.adapters.capabilities(handle.agent, handle.mode);
  if (!supportsSteer) throw new CapabilityError(handle.agent, 'steer', `"${handle.mode}" does not support steering`);
  if (message.attachments.length > 0)
    throw new AgentMuxError('VALIDATION_ERROR', 'a steering message cannot have attachments', {
      hint: 'send it as a separate turn',
    });
}
