/** What it costs to be there: commands over a bare node, and the memory of an engine with one adapter. Of what is built. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface StartupRow {
  name: string;
  value: number;
  target: number;
  unit: 'times a bare node' | 'MB over a bare node';
}

const ROOT = join(import.meta.dirname, '../..');
const AMUX = join(ROOT, 'packages/agent-mux/bin/amux.js');
const SDK = join(ROOT, 'packages/agent-mux/dist/index.js');
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  'amux agents': ['agents', '--json'],
  'amux sessions': ['sessions', '--json'],
  'amux config': ['config', 'get', 'claude', '--json'],
  'amux auth': ['auth', '--json'],
  'amux mcp': ['mcp', '--json'],
};
const MOST_TIMES = 2.5;
const MOST_MB = 15;
/** The best of so many counts: whatever else the machine does only adds to it. */
const TRIES = 12;

const PSS = `const pss = () => Number(/^Pss:\\s+(\\d+)/m.exec(require('node:fs').readFileSync('/proc/self/smaps_rollup', 'utf8'))[1]) / 1024;`;
const BARE = `${PSS} console.log(pss())`;
const LOADED = `${PSS} import(${JSON.stringify(SDK)}).then((mux) => { mux.createClient().adapters.get('claude'); console.log(pss()); })`;

export function measureStartup(): StartupRow[] {
  const home = mkdtempSync(join(tmpdir(), 'agent-mux-bench-'));
  try {
    const env = { PATH: process.env.PATH, HOME: home, NODE_COMPILE_CACHE: join(home, 'compiled') };
    const run = (args: readonly string[]) =>
      spawnSync(process.execPath, [...args], { cwd: home, env, encoding: 'utf8' });
    return [...measureCommands(run), ...measureMemory(run)];
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

type Run = (args: readonly string[]) => { stdout: string };

/** In turns, so that a busy moment hits all of them. */
function measureCommands(run: Run): StartupRow[] {
  const all: [string, readonly string[]][] = [['', ['-e', '0']]];
  for (const [name, words] of Object.entries(COMMANDS)) all.push([name, [AMUX, ...words]]);
  // The first run fills the cache of compiled code, and remembers versions.
  for (const [, args] of all) run(args);
  const best = new Map<string, number>();
  for (let i = 0; i < TRIES; i += 1) {
    for (const [name, args] of all) {
      const started = performance.now();
      run(args);
      best.set(name, Math.min(best.get(name) ?? Number.POSITIVE_INFINITY, performance.now() - started));
    }
  }
  const bare = best.get('') ?? Number.NaN;
  return Object.keys(COMMANDS).map((name) => ({
    name,
    value: (best.get(name) ?? Number.NaN) / bare,
    target: MOST_TIMES,
    unit: 'times a bare node',
  }));
}

/** Linux tells it; elsewhere there is no row. */
function measureMemory(run: Run): StartupRow[] {
  if (process.platform !== 'linux') return [];
  run(['-e', LOADED]);
  const [bare, loaded] = [BARE, LOADED].map((script) => Number(run(['-e', script]).stdout));
  const value = (loaded ?? Number.NaN) - (bare ?? Number.NaN);
  return [{ name: 'engine and one adapter', value, target: MOST_MB, unit: 'MB over a bare node' }];
}

if (import.meta.main) {
  for (const { name, value, target, unit } of measureStartup()) {
    console.log(`${value <= target ? 'ok  ' : 'MISS'} ${name}: ${value.toFixed(2)} ${unit} (at most ${target})`);
  }
}
