import { piHooks } from '../pi-family/index.ts';

/** omp 18.2.3, which loads the extensions of a project without asking. */
export const HOOKS = piHooks({
  agent: 'omp',
  path: '.omp/extensions/agent-mux-hooks.js',
  settled: 'agent_end',
  asking: { tool_approval_requested: 'blocked', tool_approval_resolved: 'active' },
});
