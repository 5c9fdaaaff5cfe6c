import type { DoctorOptions, Finding } from '../contract/upkeep.ts';
import type { ConfigFault } from '../documents/document.ts';
import type { AdapterProblem } from '../registry/load-adapters.ts';
import type { Registry } from '../registry/registry.ts';
import { AGENT_CHECKS } from './agent-checks.ts';
import { OWN_CHECKS } from './own-checks.ts';

/** What the client that was opened knows of agent-mux's own files. */
export interface OwnState {
  configFiles?: readonly string[];
  configFaults?: readonly ConfigFault[];
  adapterProblems?: readonly AdapterProblem[];
  untrusted?: readonly { id: string; file: string; line: number }[];
}

export interface Practice {
  adapters: Registry;
  env: NodeJS.ProcessEnv;
  own?: OwnState;
}

/** Looks at agent-mux and at every agent; changes nothing. What is good is told too. Throws UNKNOWN_AGENT. */
export async function examine(practice: Practice, options: DoctorOptions = {}): Promise<Finding[]> {
  const agents = options.agents ?? practice.adapters.list().map(({ agent }) => agent);
  const adapters = agents.map((agent) => practice.adapters.get(agent));
  const named = options.agents !== undefined;
  const tell = <Found extends Finding[]>(found: Found): Found => {
    options.onFound?.(found);
    return found;
  };
  const [own, ...each] = await Promise.all([
    Promise.all(OWN_CHECKS.map((check) => check(practice))).then((found) =>
      tell(found.flat().map((finding) => ({ ...finding, agent: null }))),
    ),
    ...adapters.map(async (adapter) => {
      const info = await practice.adapters.detect(adapter.agent);
      if (!info) return [];
      const patient = { adapter, info, named, env: practice.env, cwd: options.cwd, adapters: practice.adapters };
      const found = await Promise.all(AGENT_CHECKS.map((check) => check(patient)));
      return tell(found.flat().map((finding) => ({ ...finding, agent: adapter.agent })));
    }),
  ]);
  return [...own, ...each.flat()];
}
