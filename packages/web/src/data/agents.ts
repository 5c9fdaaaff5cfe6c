import type { AgentDetail } from '@agent-mux/api/browser';
import { useQuery } from '@tanstack/react-query';
import { call } from './call.ts';

export function useAgents() {
  return useQuery({
    queryKey: ['agents'],
    queryFn: async ({ signal }) => (await call('listAgents', {}, signal)).agents,
  });
}

export function useAgent(agent: string) {
  return useQuery({
    queryKey: ['agent', agent],
    queryFn: ({ signal }) => call('getAgent', { params: { agent } }, signal),
    enabled: agent !== '',
  });
}

export function useModels(agent: string) {
  return useQuery({
    queryKey: ['models', agent],
    queryFn: ({ signal }) => call('listModels', { params: { agent } }, signal),
    enabled: agent !== '',
  });
}

/** Capabilities of an agent in a mode (default: its best mode); empty if unknown. */
export function capabilitiesOf(
  detail: AgentDetail | undefined,
  mode?: string | null,
): Readonly<Record<string, unknown>> {
  const { modes = [] } = detail ?? {};
  return (modes.find(({ name }) => name === mode) ?? modes[0])?.capabilities ?? {};
}
