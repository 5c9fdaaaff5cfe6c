import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { LAUNCH_VARIABLE, RUN_ID_VARIABLE } from '@agent-mux/core/light';
import { SESSION_VARIABLE } from '../hooks/spool.ts';
import { compileCache, DAEMON_FLAGS } from '../node-options.ts';
import type { Places } from '../places.ts';

const SOURCE_FLAGS = ['--conditions=agent-mux-source', '--disable-warning=ExperimentalWarning'];

/** The arguments that make node the daemon: its source where this is source, else what was built. */
export function daemonCommand(): string[] {
  const root = findPackage(import.meta.dirname);
  const isSource = import.meta.filename.endsWith('.ts');
  const main = isSource ? [...SOURCE_FLAGS, join(root, 'src/main.ts')] : [join(root, 'dist/main.js')];
  return [...DAEMON_FLAGS, ...main];
}

/** What is built may lie in any file: a bundler has put it together. */
function findPackage(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : findPackage(dirname(folder));
}

export interface Spawned {
  child: ChildProcess;
  /** Where its words begin in the log. */
  logFrom: number;
}

/** In a session of its own, so that it outlives whoever started it; what it says goes to the log. */
export async function spawnDaemon(
  places: Places,
  env: NodeJS.ProcessEnv,
  command: readonly string[],
): Promise<Spawned> {
  await mkdir(places.root, { recursive: true, mode: 0o700 });
  await using log = await open(places.log, 'a', 0o600);
  const { size } = await log.stat();
  const child = spawn(process.execPath, command, {
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
    // A folder that nobody wants to remove or unmount.
    cwd: places.root,
    env: { ...compileCache(env), ...withoutMarks(env) },
    windowsHide: true,
  });
  child.unref();
  return { child, logFrom: size };
}

/** Started from within a run, it would carry the mark of that run, and be ended with it. */
function withoutMarks(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { [RUN_ID_VARIABLE]: _run, [LAUNCH_VARIABLE]: _launch, [SESSION_VARIABLE]: _session, ...rest } = env;
  return rest;
}
