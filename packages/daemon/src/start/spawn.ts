import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { LAUNCH_VARIABLE, RUN_ID_VARIABLE } from '@agent-mux/core/light';
import { SESSION_VARIABLE } from '../hooks/spool.ts';
import { compileCache, DAEMON_FLAGS } from '../node-options.ts';
import type { DaemonPaths } from '../paths.ts';

const SOURCE_FLAGS = ['--conditions=agent-mux-source', '--disable-warning=ExperimentalWarning'];

/** Node arguments to run the daemon: from source if this is source, else from the build. */
export function daemonCommand(): string[] {
  const root = findPackage(import.meta.dirname);
  const isSource = import.meta.filename.endsWith('.ts');
  const main = isSource ? [...SOURCE_FLAGS, join(root, 'src/main.ts')] : [join(root, 'dist/main.js')];
  return [...DAEMON_FLAGS, ...main];
}

/** The bundler may put this code into any file of the build. */
function findPackage(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : findPackage(dirname(folder));
}

export interface Spawned {
  child: ChildProcess;
  /** Offset in the log where its output starts. */
  logFrom: number;
}

/** Starts it in a separate process session, so that it outlives its parent. Its output goes to the log. */
export async function spawnDaemon(
  paths: DaemonPaths,
  env: NodeJS.ProcessEnv,
  command: readonly string[],
): Promise<Spawned> {
  await mkdir(paths.root, { recursive: true, mode: 0o700 });
  await using log = await open(paths.log, 'a', 0o600);
  const { size } = await log.stat();
  const child = spawn(process.execPath, command, {
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
    // A folder that no one needs to remove or unmount.
    cwd: paths.root,
    env: { ...compileCache(env), ...withoutMarks(env) },
    windowsHide: true,
  });
  child.unref();
  return { child, logFrom: size };
}

/** A daemon started inside a run must not carry the mark of that run, or it would be ended with it. */
function withoutMarks(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { [RUN_ID_VARIABLE]: _run, [LAUNCH_VARIABLE]: _launch, [SESSION_VARIABLE]: _session, ...rest } = env;
  return rest;
}
