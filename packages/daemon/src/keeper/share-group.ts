import type { AgentAdapter } from '@agent-mux/core';

/**
 * `LaunchSpec.group` for sessions of this agent: sessions that share one agent process share one keeper. Null: each
 * session has its own process, or the process serves one session at a time and would stay occupied.
 */
export function shareGroupOf(adapter: AgentAdapter, modeName?: string): string | null {
  const mode = modeName === undefined ? adapter.modes?.[0] : adapter.modes?.find(({ name }) => name === modeName);
  const live = mode?.live;
  if (!mode || !live) return null;
  const isShared =
    live.transport === 'http'
      ? live.server.shareKey !== undefined
      : live.share !== undefined && live.share.exclusive !== true;
  return isShared ? `${adapter.agent}/${mode.name}` : null;
}
