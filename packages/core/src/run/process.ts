import { type ChildProcess, spawn } from 'node:child_process';
import type { SpawnArgs } from '../contract/adapter.ts';
import { LineSplitter } from './lines.ts';
import { terminateFamily } from './terminate.ts';
import type { TraceWriter } from './trace.ts';

export interface ProcessExit {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** It never started. */
  spawnError?: Error;
  /** It may still be there, but cannot be reached any more: why. */
  lost?: string;
}

export interface ProcessSink {
  lines(source: 'stdout' | 'stderr', lines: string[], bytes: number): void;
  /** A line was longer than the limit; its beginning is delivered as a line. */
  lineCut(source: 'stdout' | 'stderr', totalBytes: number): void;
  /** The process is gone and its streams are closed: nothing more will come. */
  closed(exit: ProcessExit): void;
}

/** After the exit, descendants may hold the pipes open: so long may they stay silent before they are ended. */
const DRAIN_SILENCE_MS = 1000;
/** What is kept of stderr; a crash report shows less of it. */
const STDERR_KEPT_BYTES = 64 * 1024;

/** One child process in a group of its own; bytes in, lines out. */
export class AgentProcess {
  readonly #child: ChildProcess;
  readonly #runId: string;
  readonly #sink: ProcessSink;
  readonly #trace: TraceWriter | undefined;
  #exit: ProcessExit | undefined;
  #closed = false;
  /** The end of the whole family, once it has been asked for. */
  #family: Promise<void> | undefined;
  #openStreams = 2;
  #drainTimer: NodeJS.Timeout | undefined;
  #stderrTail: Buffer = Buffer.alloc(0);
  /** Resolves when the streams are closed. */
  readonly done: Promise<ProcessExit>;
  #resolveDone: (exit: ProcessExit) => void = () => {};

  constructor(plan: SpawnArgs, runId: string, sink: ProcessSink, trace?: TraceWriter) {
    this.#runId = runId;
    this.#sink = sink;
    this.#trace = trace;
    this.done = new Promise((resolve) => {
      this.#resolveDone = resolve;
    });
    this.#child = spawn(plan.command, plan.args, {
      cwd: plan.cwd,
      env: plan.env,
      stdio: 'pipe',
      detached: process.platform !== 'win32',
      windowsHide: true,
      shell: plan.shell ?? needsShell(plan.command),
    });
    this.#child.on('error', (error) => {
      // Also raised for a failed kill; only a process without pid never started.
      if (this.#child.pid === undefined) this.#close({ code: null, signal: null, spawnError: error });
    });
    this.#child.on('exit', (code, signal) => this.#exited({ code, signal }));
    // The agent may exit before it has read everything: that is its right.
    this.#child.stdin?.on('error', () => {});
    this.#read('stdout');
    this.#read('stderr');
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** The end of stderr; more than a report shows, so that no half of a secret is left where it is cut. */
  get stderrTail(): string {
    return this.#stderrTail.toString('utf8');
  }

  get exited(): boolean {
    return this.#exit !== undefined || this.#closed;
  }

  write(data: string): void {
    if (!this.#child.stdin?.writable) return;
    this.#trace?.write('in', data);
    this.#child.stdin.write(data);
  }

  closeStdin(): void {
    this.#child.stdin?.end();
  }

  pause(): void {
    this.#child.stdout?.pause();
    this.#child.stderr?.pause();
  }

  resume(): void {
    this.#child.stdout?.resume();
    this.#child.stderr?.resume();
  }

  /** To the whole group, as a terminal's Ctrl-C would. */
  interrupt(): void {
    if (this.pid === undefined || this.exited) return;
    try {
      process.kill(process.platform === 'win32' ? this.pid : -this.pid, 'SIGINT');
    } catch {
      // Already gone.
    }
  }

  async terminate(options: { first?: NodeJS.Signals; graceMs?: number } = {}): Promise<void> {
    if (this.pid !== undefined) {
      // A paused pipe would keep the streams from closing.
      this.resume();
      this.#family = terminateFamily({ pid: this.pid, runId: this.#runId, exited: () => this.exited }, options);
      await this.#family;
    }
    if (!this.#closed && this.#exit) this.#dropStreams();
    await this.done;
  }

  #read(source: 'stdout' | 'stderr'): void {
    const stream = this.#child[source];
    if (!stream) {
      this.#streamClosed();
      return;
    }
    const splitter = new LineSplitter(
      (lines, bytes) => this.#sink.lines(source, lines, bytes),
      (total) => this.#sink.lineCut(source, total),
    );
    stream.on('data', (chunk: Buffer) => {
      this.#trace?.write(source, chunk);
      if (source === 'stderr') this.#keepStderr(chunk);
      if (this.#exit) this.#armDrain();
      splitter.push(chunk);
    });
    stream.on('error', () => {});
    stream.on('close', () => {
      splitter.end();
      this.#streamClosed();
    });
  }

  #keepStderr(chunk: Buffer): void {
    const kept = this.#stderrTail.subarray(Math.max(0, this.#stderrTail.length + chunk.length - STDERR_KEPT_BYTES));
    this.#stderrTail = Buffer.concat([kept, chunk.subarray(-STDERR_KEPT_BYTES)]);
  }

  #exited(exit: ProcessExit): void {
    this.#exit = exit;
    if (this.#openStreams === 0) this.#close(exit);
    else this.#armDrain();
  }

  #streamClosed(): void {
    this.#openStreams -= 1;
    if (this.#openStreams === 0 && this.#exit) this.#close(this.#exit);
  }

  /** The leader has exited, somebody else holds its pipes: as long as they talk they are heard, then they are ended. */
  #armDrain(): void {
    clearTimeout(this.#drainTimer);
    this.#drainTimer = setTimeout(() => {
      if (this.#child.stdout?.isPaused()) {
        this.#armDrain();
        return;
      }
      void this.terminate({ graceMs: 500 });
    }, DRAIN_SILENCE_MS);
  }

  #dropStreams(): void {
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
  }

  #close(exit: ProcessExit): void {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#drainTimer);
    const tell = () => {
      this.#sink.closed(exit);
      this.#resolveDone(exit);
    };
    // A process closes its streams a moment before it is gone: who is being ended is waited for.
    if (this.#family) void this.#family.then(tell);
    else tell();
  }
}

/** On Windows npm installs `.cmd` shims, which only a shell can start. */
function needsShell(command: string): boolean {
  return process.platform === 'win32' && /\.(cmd|bat)$/i.test(command);
}
