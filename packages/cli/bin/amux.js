#!/usr/bin/env node
// Plain JavaScript that any node can read: an old one gets a sentence, not a stack trace.
// Modules of node are asked for, since an `import` of one loads all that it could ever need; an old node knows only that.
const own = async (name) => process.getBuiltinModule?.(name) ?? import(name);

const [major, minor] = process.versions.node.split('.').map(Number);
const [, , command, word] = process.argv;
if (command === 'hooks' && word && !/^(?:-.*|install|uninstall|status|help)$/.test(word)) {
  // An agent waits for it at each of its steps, and must never hear of a failure.
  await import('@agent-mux/daemon/reporter').catch(() => {});
  process.exit(0);
} else if (command === '--version') {
  // Answered without loading anything: scripts and shells ask for it all the time.
  const { readFileSync, writeSync } = await own('node:fs');
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  try {
    writeSync(1, `${version}\n`);
  } catch (error) {
    if (error.code !== 'EPIPE') process.stderr.write(`amux: the output cannot be written: ${error.message}\n`);
    process.exitCode = 1;
  }
} else if (major < 22 || (major === 22 && minor < 18)) {
  const hint = 'install a newer one (https://nodejs.org, or "nvm install 24")';
  process.stderr.write(`amux: it needs node 22.18 or newer, and this is ${process.versions.node}\nhint: ${hint}\n`);
  process.exitCode = 1;
} else {
  // In the user's own folder: what lies in the shared temporary one may come from anybody.
  const { XDG_CACHE_HOME, HOME } = process.env;
  const cache = XDG_CACHE_HOME || (HOME && `${HOME}/.cache`);
  if (cache) process.getBuiltinModule('node:module').enableCompileCache(`${cache}/agent-mux/compile`);
  await import('../dist/main.js');
}
