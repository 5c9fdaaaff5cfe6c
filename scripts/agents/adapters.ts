import { builtInAdapters } from '@agent-mux/adapters';
import type { AgentAdapter } from '@agent-mux/core';

const adapters = builtInAdapters();

export function findAdapter(agent: string): AgentAdapter | undefined {
  return adapters.find((adapter) => adapter.agent === agent);
}

export function adapterOf(agent: string): AgentAdapter {
  const found = findAdapter(agent);
  if (!found) throw new Error(`no adapter for ${agent}`);
  return found;
}
