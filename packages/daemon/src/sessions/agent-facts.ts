import type { Session } from '@agent-mux/api';
import { type AgentAdapter, type AgentMode, modesOf } from '@agent-mux/core';
import type { Desk } from './desk.ts';

type Seen = Pick<Session, 'id' | 'agent' | 'cwd' | 'trustProject'>;

/** As it is known where the session works. Throws UNKNOWN_AGENT. */
export function adapterOf(desk: Pick<Desk, 'clientFor'>, session: Seen): AgentAdapter {
  return desk.clientFor(session).adapters.get(session.agent);
}

/** Null: nobody knows it now, and a keeper would say why. */
export function findAdapter(desk: Pick<Desk, 'clientFor'>, session: Seen): AgentAdapter | null {
  try {
    return adapterOf(desk, session);
  } catch {
    return null;
  }
}

/** The mode that it is driven in: the one that was named, or the agent's best. */
export function findMode(
  adapter: AgentAdapter | null,
  options: Readonly<Record<string, unknown>>,
): AgentMode | undefined {
  const modes = adapter ? modesOf(adapter) : [];
  return typeof options.mode === 'string' ? modes.find(({ name }) => name === options.mode) : modes[0];
}
