import { type ChildProcess, spawn } from 'node:child_process';
import type { SpawnArgs } from '../contract/adapter.ts';
import type { IoSink, ProcessIo, Source } from './process-io.ts';

const SOURCES: readonly Source[] = ['stdout', 'stderr'];

/** The streams of a child are sockets, which their types do not say. */
type Handle = Pick<ChildProcess, 'ref' | 'unref'>;

/** A process with three pipes, as most agents need. */
export function openPipes(plan: SpawnArgs, sink: IoSink): ProcessIo {
  // Without a free file descriptor there are no streams either.
  const child: ChildProcess = spawn(plan.command, plan.args, {
    cwd: plan.cwd,
    env: plan.env,
    stdio: 'pipe',
    detached: process.platform !== 'win32',
    windowsHide: true,
    shell: plan.shell ?? needsShell(plan.command),
  });
  child.on('error', (spawnError) => {
    // Also raised for a failed kill; only a process without a pid never started.
    if (child.pid === undefined) sink.exited({ code: null, signal: null, spawnError });
  });
  child.on('exit', (code, signal) => sink.exited({ code, signal }));
  // The agent may exit before it has read all its input.
  child.stdin?.on('error', () => {});
  for (const source of SOURCES) {
    child[source]?.on('data', (chunk: Buffer) => sink.data(source, chunk));
    child[source]?.on('error', () => {});
    child[source]?.on('close', () => sink.ended(source));
  }
  return {
    get pid() {
      return child.pid;
    },
    sources: SOURCES,
    get paused() {
      return child.stdout?.isPaused() ?? false;
    },
    write: (data) => {
      if (child.stdin?.writable) child.stdin.write(data);
    },
    closeInput: () => {
      child.stdin?.end();
    },
    pause: () => {
      for (const source of SOURCES) child[source]?.pause();
    },
    resume: () => {
      for (const source of SOURCES) child[source]?.resume();
    },
    keepHost: (wanted) => {
      const handles = [child, child.stdin, child.stdout, child.stderr] as readonly Partial<Handle>[];
      for (const handle of handles) wanted ? handle?.ref?.() : handle?.unref?.();
    },
    interrupt: () => {
      if (child.pid === undefined) return;
      try {
        process.kill(process.platform === 'win32' ? child.pid : -child.pid, 'SIGINT');
      } catch {
        // Already gone.
      }
    },
    drop: () => {
      for (const source of SOURCES) child[source]?.destroy();
    },
  };
}

/** On Windows npm installs `.cmd` shims, which only a shell can start. */
function needsShell(command: string): boolean {
  return process.platform === 'win32' && /\.(cmd|bat)$/i.test(command);
}
