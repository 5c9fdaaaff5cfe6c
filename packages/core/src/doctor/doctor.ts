import type { DoctorOptions, Finding } from '../contract/management.ts';
import type { ConfigIssue } from '../documents/document.ts';
import type { AdapterProblem } from '../registry/load-adapters.ts';
import type { Registry } from '../registry/registry.ts';
import { AGENT_CHECKS } from './agent-checks.ts';
import { SELF_CHECKS } from './self-checks.ts';

/** State of agent-mux's own files, from the client. */
export interface SelfState {
  configFiles?: readonly string[];
  configIssues?: readonly ConfigIssue[];
  adapterProblems?: readonly AdapterProblem[];
  untrusted?: readonly { id: string; file: string; line: number }[];
}

export interface DoctorContext {
  adapters: Registry;
  env: NodeJS.ProcessEnv;
  own?: SelfState;
}

/** Checks agent-mux and every agent without changing anything. Includes what is in order. Throws UNKNOWN_AGENT. */
export async function runDoctor(context: DoctorContext, options: DoctorOptions = {}): Promise<Finding[]> {
  const agents = options.agents ?? context.adapters.list().map(({ agent }) => agent);
  const adapters = agents.map((agent) => context.adapters.get(agent));
  const named = options.agents !== undefined;
  const report = <Found extends Finding[]>(found: Found): Found => {
    options.onFound?.(found);
    return found;
  };
  const [own, ...each] = await Promise.all([
    Promise.all(SELF_CHECKS.map((check) => check(context))).then((found) =>
      report(found.flat().map((finding) => ({ ...finding, agent: null }))),
    ),
    ...adapters.map(async (adapter) => {
      const info = await context.adapters.detect(adapter.agent);
      if (!info) return [];
      const patient = { adapter, info, named, env: context.env, cwd: options.cwd, adapters: context.adapters };
      const found = await Promise.all(AGENT_CHECKS.map((check) => check(patient)));
      return report(found.flat().map((finding) => ({ ...finding, agent: adapter.agent })));
    }),
  ]);
  return [...own, ...each.flat()];
}
