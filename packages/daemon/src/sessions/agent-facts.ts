import type { Session } from '@agent-mux/api';
import { type AgentAdapter, type AgentMode, modesOf } from '@agent-mux/core';
import type { DaemonContext } from './daemon-context.ts';

type AgentRef = Pick<Session, 'id' | 'agent' | 'cwd' | 'trustProject'>;

/** The adapter as configured in the folder of the session. Throws UNKNOWN_AGENT. */
export function adapterOf(ctx: Pick<DaemonContext, 'clientFor'>, session: AgentRef): AgentAdapter {
  return ctx.clientFor(session).adapters.get(session.agent);
}

/** Null if the agent is unknown now; a keeper would report why. */
export function findAdapter(ctx: Pick<DaemonContext, 'clientFor'>, session: AgentRef): AgentAdapter | null {
  try {
    return adapterOf(ctx, session);
  } catch {
    return null;
  }
}

/** The mode of the session: the configured one, or the agent's default. */
export function findMode(
  adapter: AgentAdapter | null,
  options: Readonly<Record<string, unknown>>,
): AgentMode | undefined {
  const modes = adapter ? modesOf(adapter) : [];
  return typeof options.mode === 'string' ? modes.find(({ name }) => name === options.mode) : modes[0];
}
