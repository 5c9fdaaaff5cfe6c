#!/usr/bin/env node
// The entry point of every npm script. Plain JavaScript, because the machine's node may be too old for TypeScript:
// it installs dependencies, builds, and then runs the task with the project's own node.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const bin = join(root, 'node_modules', '.bin');
const AMUX = join(root, 'packages/agent-mux/bin/amux.js');
const windows = process.platform === 'win32';
const source = ['--conditions=agent-mux-source', '--disable-warning=ExperimentalWarning'];

const tasks = {
  start: () => hold(projectNode(), [AMUX, 'up', '--foreground', '--demo', ...rest]),
  demo: () => run(projectNode(), [AMUX, 'demo', ...rest]),
  test: () => {
    if (rest.length === 0) installBrowser();
    return run(projectNode(), [tool('vitest', 'vitest.mjs'), 'run', ...rest]);
  },
  'test:browser': () => {
    installBrowser();
    return run(projectNode(), [tool('vitest', 'vitest.mjs'), 'run', 'packages/web/test', ...rest]);
  },
  'test:agents': () => run(projectNode(), [...source, join(root, 'scripts/test-agents.ts'), ...rest]),
  'test:chaos': () => run(projectNode(), [...source, join(root, 'scripts/test-chaos.ts'), ...rest]),
  'test:new-user': () => {
    installBrowser();
    return run(projectNode(), [...source, join(root, 'scripts/new-user.ts'), ...rest]);
  },
  pack: () => run(projectNode(), [...source, join(root, 'scripts/pack.ts'), ...rest]),
  bench: () => run(projectNode(), [...source, '--expose-gc', join(root, 'scripts/bench.ts'), ...rest]),
  screenshots: () => {
    installBrowser();
    return run(projectNode(), [...source, join(root, 'scripts/screenshots.ts'), ...rest]);
  },
  docs: () => run(projectNode(), [...source, join(root, 'scripts/docs.ts'), ...rest]),
  check: () => run(projectNode(), [...source, join(root, 'scripts/check.ts'), ...rest]),
  build: () => 0,
};

const [name, ...rest] = process.argv.slice(2);
const task = tasks[name];
if (!task) {
  console.error(`do.mjs: unknown task "${name}". One of: ${Object.keys(tasks).join(', ')}`);
  process.exit(2);
}
install();
build();
process.exit(await task());

/** Installs if the lock file has changed since the last install, which a stamp in node_modules records. */
function install() {
  const lock = join(root, 'package-lock.json');
  const stamp = join(root, 'node_modules', '.agent-mux-installed');
  const wanted = createHash('sha256').update(readFileSync(lock)).digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  say('installing dependencies (npm ci)');
  must(run(windows ? 'npm.cmd' : 'npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { shell: windows }));
  writeFileSync(stamp, wanted);
}

function build() {
  const started = Date.now();
  must(run(projectNode(), [tool('typescript', 'bin/tsc'), '-b', 'tsconfig.build.json']));
  must(run(projectNode(), ['--disable-warning=ExperimentalWarning', join(root, 'scripts/bundle.ts')]));
  must(run(projectNode(), [...source, join(root, 'scripts/build-web.ts')]));
  if (Date.now() - started > 3000) say(`built in ${((Date.now() - started) / 1000).toFixed(1)} s`);
}

/** Installs Chromium on Debian as root. Otherwise the user installs a browser; without one, browser tests are skipped. */
function installBrowser() {
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'apt-get'];
  const isThere = (name) => process.env.PATH.split(delimiter).some((folder) => existsSync(join(folder, name)));
  const [apt, ...found] = names.filter(isThere).reverse();
  if (found.length > 0 || apt !== 'apt-get' || process.getuid?.() !== 0) return;
  say('installing chromium for the dashboard tests');
  run('apt-get', ['update', '-qq'], { stdio: 'ignore' });
  run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium'], { stdio: 'ignore' });
}

/** The node of the optional platform package, or the machine's own if that is new enough. */
function projectNode() {
  const own = join(bin, windows ? 'node.exe' : 'node');
  if (existsSync(own)) return own;
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 18)) return process.execPath;
  say(
    `node ${process.versions.node} is too old and no packaged node exists for this platform: install node 24, then run this again`,
  );
  process.exit(1);
}

function tool(pkg, file) {
  return join(root, 'node_modules', pkg, file);
}

function run(command, args, options = {}) {
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` };
  const done = spawnSync(command, args, { cwd: root, stdio: 'inherit', env, ...options });
  if (done.error) {
    console.error(`do.mjs: cannot run ${command}: ${done.error.message}`);
    return 1;
  }
  return done.status ?? 1;
}

/** Runs a long-lived task: forwards signals to it and waits for its exit. */
function hold(command, args) {
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` };
  const child = spawn(command, args, { cwd: root, stdio: 'inherit', env });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  return new Promise((resolve) => {
    child.on('error', (error) => {
      console.error(`do.mjs: cannot run ${command}: ${error.message}`);
      resolve(1);
    });
    child.on('close', (code) => resolve(code ?? 1));
  });
}

function must(status) {
  if (status !== 0) process.exit(status);
}

function say(text) {
  console.error(`agent-mux: ${text}`);
}
