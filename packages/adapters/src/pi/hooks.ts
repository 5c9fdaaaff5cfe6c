import { piHooks } from '../pi-family/index.ts';

/** pi 0.87.1. It asks for no approvals; questions of extensions are reported. */
export const HOOKS = piHooks({
  agent: 'pi',
  path: '.pi/extensions/agent-mux-hooks.js',
  trust: 'the project must be trusted: `/trust` once, or `--approve` with each run that has no terminal',
  settled: 'agent_settled',
  asking: { ui_prompt_start: 'waiting_input', ui_prompt_end: 'active' },
});
