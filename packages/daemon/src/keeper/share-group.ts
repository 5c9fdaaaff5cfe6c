import type { AgentAdapter } from '@agent-mux/core';

/**
 * What `Launch.group` is for sessions of this agent: those whose agent serves several with one process are held by one keeper.
 * Null: each has a process of its own, or the process serves one at a time, which a session would hold for ever.
 */
export function shareGroupOf(adapter: AgentAdapter, modeName?: string): string | null {
  const mode = modeName === undefined ? adapter.modes?.[0] : adapter.modes?.find(({ name }) => name === modeName);
  const live = mode?.live;
  if (!mode || !live) return null;
  const isShared =
    live.transport === 'http'
      ? live.server.shareKey !== undefined
      : live.share !== undefined && live.share.oneAtATime !== true;
  return isShared ? `${adapter.agent}/${mode.name}` : null;
}
