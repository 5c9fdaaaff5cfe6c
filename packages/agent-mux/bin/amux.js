#!/usr/bin/env node
// Fast path for hook reports, as in the CLI: the agent waits for each of them.
const [, , command, agent] = process.argv;
if (command === 'hooks' && agent && !/^(?:-.*|install|uninstall|status|help)$/.test(agent)) {
  await import('@agent-mux/daemon/reporter').catch(() => {});
  process.exit(0);
} else await import('@agent-mux/cli/bin');
