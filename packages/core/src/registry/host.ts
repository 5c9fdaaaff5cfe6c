import type { Registry } from './registry.ts';

/** The agent inside of which this process runs. An agent that forked another one also sets that one's variables, so the more specific set wins. */
export function detectHost(registry: Registry, env: NodeJS.ProcessEnv): { agent: string; signal: string } | null {
  let best: { agent: string; signal: string; count: number } | null = null;
  for (const { agent } of registry.list()) {
    const present = (registry.card(agent).hostEnvSignals ?? []).filter((name) => env[name] !== undefined);
    if (present.length > (best?.count ?? 0)) best = { agent, signal: present[0]!, count: present.length };
  }
  return best && { agent: best.agent, signal: best.signal };
}
