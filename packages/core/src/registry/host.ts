import type { Registry } from './registry.ts';

/** Several agents set it to their own name, so it names the innermost one. */
const NAMING_VARIABLE = 'AI_AGENT';

/**
 * The agent inside which this process runs. A nested agent has the variables of both agents, and one may set a variable
 * of another on purpose (omp sets CLAUDECODE): the named one wins, then the one with more variables.
 */
export function detectHost(registry: Registry, env: NodeJS.ProcessEnv): { agent: string; signal: string } | null {
  let best: { agent: string; signal: string; weight: number } | null = null;
  for (const { agent } of registry.list()) {
    const present = (registry.manifest(agent).hostEnvSignals ?? []).filter((name) => env[name] !== undefined);
    const [signal] = present;
    if (signal === undefined) continue;
    const weight = isNamed(agent, env[NAMING_VARIABLE]) ? Number.POSITIVE_INFINITY : present.length;
    if (weight > (best?.weight ?? 0)) best = { agent, signal, weight };
  }
  return best && { agent: best.agent, signal: best.signal };
}

/** `pi`, `crush`, `claude-code_2-1-325_agent`. */
function isNamed(agent: string, name: string | undefined): boolean {
  return name === agent || (name !== undefined && /^[-_/@]/.test(name.slice(agent.length)) && name.startsWith(agent));
}
