#!/usr/bin/env node
// Plain JavaScript that any Node.js can parse: an old one gets a message instead of a stack trace.
// getBuiltinModule loads less than `import`; an old Node.js has only the latter.
const builtin = async (name) => process.getBuiltinModule?.(name) ?? import(name);

const [major, minor] = process.versions.node.split('.').map(Number);
const [, , command, word] = process.argv;
if (command === 'hooks' && word && !/^(?:-.*|install|uninstall|status|help)$/.test(word)) {
  // The agent waits for this hook at every step; it must never fail.
  await import('@agent-mux/daemon/reporter').catch(() => {});
  process.exit(0);
} else if (command === '--version') {
  // Printed without loading anything: scripts and shells call it often.
  const { readFileSync, writeSync } = await builtin('node:fs');
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  try {
    writeSync(1, `${version}\n`);
  } catch (error) {
    if (error.code !== 'EPIPE') process.stderr.write(`amux: cannot write output: ${error.message}\n`);
    process.exitCode = 1;
  }
} else if (major < 22 || (major === 22 && minor < 18)) {
  const hint = 'install a newer version (https://nodejs.org, or "nvm install 24")';
  process.stderr.write(`amux: Node.js 22.18 or later is required, found ${process.versions.node}\nhint: ${hint}\n`);
  process.exitCode = 1;
} else {
  // In the user's own folder: files in the shared temporary folder may come from other users.
  const { XDG_CACHE_HOME, HOME } = process.env;
  const cache = XDG_CACHE_HOME || (HOME && `${HOME}/.cache`);
  if (cache) process.getBuiltinModule('node:module').enableCompileCache(`${cache}/agent-mux/compile`);
  await import('../dist/main.js');
}
