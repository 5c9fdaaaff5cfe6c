#!/usr/bin/env node
// As in the command itself: a hook that reports takes the shortest way, since an agent waits for it at each of its steps.
const [, , command, word] = process.argv;
if (command === 'hooks' && word && !/^(?:-.*|install|uninstall|status|help)$/.test(word)) {
  await import('@agent-mux/daemon/reporter').catch(() => {});
  process.exit(0);
} else await import('@agent-mux/cli/bin');
