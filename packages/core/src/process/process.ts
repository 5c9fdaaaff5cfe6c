import { LineSplitter } from './lines.ts';
import { openPipes } from './pipes.ts';
import type { ProcessExit, ProcessIo, Source } from './process-io.ts';
import { isDying, reserveDescriptor, stillAlive } from './process-table.ts';
import { openPty } from './pty.ts';
import { type ReaperEntry, registerLaunch } from './reaper.ts';
import type { SpawnPlan } from './remote/link.ts';
import { openRemote } from './remote/open-remote.ts';
import { quoteForTerminal, readTerminalLine } from './terminal-text.ts';
import {
  LAUNCH_VARIABLE,
  type Leader,
  type ProcessOrigin,
  readProcessOrigin,
  terminateProcessTree,
} from './terminate.ts';
import { TextChunkDecoder } from './text-decoder.ts';
import type { TraceWriter } from './trace.ts';

export type { ProcessExit } from './process-io.ts';

export interface ProcessSink {
  /** An empty list means output without a complete line. */
  lines(source: Source, lines: string[], bytes: number): void;
  /** If set, stdout arrives here instead: as text, whether or not a line has ended. */
  text?(piece: string, bytes: number): void;
  /** A line was longer than the limit; its start is delivered as a line. */
  lineCut(source: Source, totalBytes: number): void;
  /** The process has exited and its streams are closed: nothing more comes. */
  closed(exit: ProcessExit): void;
}

/** How long descendants may silently hold the pipes open after the exit before they are ended. */
const DRAIN_SILENCE_MS = 1000;
/** Bytes of stderr that are stored; a crash report shows fewer. */
const STDERR_BYTES = 64 * 1024;
/** An unfinished line on a terminal counts as a question after this time and is delivered as it is. */
const QUESTION_MS = 1000;

/** The remote side asks, waits two seconds, and kills; plus some time for the round trip. */
const RELEASE_LIMIT_MS = 6000;

/** One child process in its own group; bytes in, lines out. */
export class AgentProcess {
  readonly #io: ProcessIo;
  readonly #terminal: boolean;
  /** Unique to this process: other runs on this machine may have the same run id. */
  readonly #launch: ReaperEntry;
  readonly #origin: ProcessOrigin | undefined;
  readonly #sink: ProcessSink;
  readonly #trace: TraceWriter | undefined;
  readonly #splitters = new Map<Source, LineSplitter>();
  /** Used instead of a splitter if text is wanted as it comes; a terminal's output is always split into lines. */
  readonly #pieces: TextChunkDecoder | undefined;
  /** The start of a line has been delivered. */
  #unfinished = false;
  #left = false;
  #exit: ProcessExit | undefined;
  #closed = false;
  /** Resolves at the end of the whole process tree, once it was requested. */
  #termination: Promise<void> | undefined;
  /** It may exit on its own, and leave processes that have left its group. */
  #interrupted = false;
  #openStreams: number;
  #drainTimer: NodeJS.Timeout | undefined;
  #questionTimer: NodeJS.Timeout | undefined;
  #questionSeen: NodeJS.Immediate | undefined;
  #stderrTail: Buffer = Buffer.alloc(0);
  /** Resolves when the streams are closed. */
  readonly done: Promise<ProcessExit>;
  #resolveDone: (exit: ProcessExit) => void = () => {};

  constructor(spawnPlan: SpawnPlan, runId: string, sink: ProcessSink, trace?: TraceWriter) {
    this.#launch = registerLaunch(runId);
    const plan = { ...spawnPlan, env: { ...spawnPlan.env, [LAUNCH_VARIABLE]: this.#launch.mark } };
    this.#sink = sink;
    this.#trace = trace;
    this.#terminal = plan.usePty;
    this.#pieces = sink.text && !plan.usePty ? new TextChunkDecoder() : undefined;
    this.done = new Promise((resolve) => {
      this.#resolveDone = resolve;
    });
    const ioSink = {
      data: (source: Source, chunk: Buffer) => this.#receive(source, chunk),
      ended: (source: Source) => this.#handleEnd(source),
      left: () => this.#noteLeft(),
      exited: (exit: ProcessExit) => this.#handleExit(exit),
    };
    reserveDescriptor();
    try {
      if (plan.usePty) this.#io = openPty(plan, ioSink, { echo: false });
      else this.#io = plan.remote ? openRemote(plan, plan.remote, ioSink) : openPipes(plan, ioSink);
    } catch (error) {
      this.#launch.over();
      throw error;
    }
    this.#origin = this.#io.pid === undefined ? undefined : readProcessOrigin(this.#io.pid);
    if (this.#io.pid !== undefined) this.#launch.started(this.#io.pid, this.#origin);
    this.#openStreams = this.#io.sources.length;
    for (const source of this.#io.sources) this.#splitters.set(source, this.#splitter(source));
  }

  get pid(): number | undefined {
    return this.#io.pid;
  }

  /**
   * The end of stderr (of a terminal: of all output), longer than a report shows, so that no partial secret remains.
   */
  get stderrTail(): string {
    const tail = this.#stderrTail.toString('utf8');
    return this.#terminal ? tail.split('\n').map(readTerminalLine).join('\n') : tail;
  }

  get exited(): boolean {
    return this.#exit !== undefined || this.#left || this.#closed;
  }

  /** Checked now: a kill a moment ago may not have been reported yet. */
  get living(): boolean {
    if (this.exited || this.pid === undefined) return false;
    if (this.#origin === undefined) return true;
    const { startTime } = this.#origin;
    return stillAlive([{ pid: this.pid, startTime }]).length > 0 && !isDying(this.pid);
  }

  /** On a terminal, types the text. Throws for a line that a terminal would cut. */
  write(data: string): void {
    const text = this.#terminal ? quoteForTerminal(data) : data;
    if (this.exited) return;
    this.#trace?.write('in', data);
    this.#io.write(text);
  }

  closeStdin(): void {
    this.#io.closeInput();
  }

  /** While output is not read, an unfinished line is not a question. */
  pause(): void {
    this.#disarmQuestion();
    this.#io.pause();
  }

  resume(): void {
    this.#io.resume();
    this.#armQuestion();
  }

  /** False lets the host exit while this process runs. */
  keepHost(wanted: boolean): void {
    this.#io.keepHost(wanted);
  }

  /** Signals the whole group, as Ctrl-C in a terminal would. */
  interrupt(): void {
    if (this.exited) return;
    this.#interrupted = true;
    this.#io.interrupt();
  }

  /** Resolves to true if it exited on its own in time; otherwise it is ended. */
  async finish(graceMs: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<false>((resolve) => {
      timer = setTimeout(resolve, graceMs, false).unref();
    });
    const went = await Promise.race([this.done.then(() => true), late]);
    clearTimeout(timer);
    if (!went) await this.terminate();
    return went;
  }

  async terminate(options: { first?: NodeJS.Signals; graceMs?: number } = {}): Promise<void> {
    if (this.pid !== undefined) {
      // A paused pipe would keep the streams from closing.
      this.resume();
      await this.#release();
      // Interactive programs on a terminal ignore SIGTERM but not SIGHUP.
      const first = options.first ?? (this.#terminal ? 'SIGHUP' : undefined);
      const how = { ...options, ...(first && { first }) };
      this.#termination = terminateProcessTree(this.#leader(this.pid), how);
      await this.#termination;
    }
    if (!this.#closed && (this.#exit || this.#left)) this.#io.drop();
    await this.done;
  }

  #leader(pid: number): Leader {
    return { pid, mark: `${LAUNCH_VARIABLE}=${this.#launch.mark}`, exited: () => this.exited, origin: this.#origin };
  }

  /** A remote process can only be ended from the remote side, which is requested with a time limit. */
  async #release(): Promise<void> {
    if (!this.#io.release || this.#closed) return;
    this.#io.release();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, RELEASE_LIMIT_MS);
    });
    await Promise.race([this.done, late]);
    clearTimeout(timer);
  }

  #splitter(source: Source): LineSplitter {
    return new LineSplitter(
      (lines, bytes) => this.#emit(source, this.#terminal ? lines.map(readTerminalLine) : lines, bytes),
      (total) => this.#sink.lineCut(source, total),
    );
  }

  #emit(source: Source, lines: string[], bytes: number): void {
    if (this.#sink.text && source === 'stdout')
      this.#sink.text(lines.join('\n') + (this.#unfinished ? '' : '\n'), bytes);
    else this.#sink.lines(source, lines, bytes);
  }

  /** Delivers a line that may still continue. */
  #emitUnfinished(splitter: LineSplitter): void {
    this.#unfinished = true;
    splitter.end();
    this.#unfinished = false;
  }

  #receive(source: Source, chunk: Buffer): void {
    this.#trace?.write(source, chunk);
    if (source === 'stderr' || this.#terminal) this.#keepStderr(chunk);
    if (this.#exit || this.#left) this.#armDrain();
    if (this.#pieces && source === 'stdout') {
      this.#sink.text?.(this.#pieces.push(chunk), chunk.length);
      return;
    }
    const splitter = this.#splitters.get(source);
    if (!splitter) return;
    splitter.push(chunk);
    if (!this.#terminal) return;
    // A progress bar that redraws its line is active although no line ends.
    if (!chunk.includes('\n')) this.#sink.lines(source, [], 0);
    this.#armQuestion();
  }

  #armQuestion(): void {
    this.#disarmQuestion();
    const splitter = this.#splitters.get('stdout');
    if (!this.#terminal || !splitter?.pending || this.#io.paused) return;
    this.#questionTimer = setTimeout(() => {
      // If this host was too busy to read, the rest of the line is pending: it is read first.
      this.#questionSeen = setImmediate(() => this.#emitUnfinished(splitter));
    }, QUESTION_MS);
  }

  #disarmQuestion(): void {
    clearTimeout(this.#questionTimer);
    clearImmediate(this.#questionSeen);
  }

  #keepStderr(chunk: Buffer): void {
    const stored = this.#stderrTail.subarray(Math.max(0, this.#stderrTail.length + chunk.length - STDERR_BYTES));
    this.#stderrTail = Buffer.concat([stored, chunk.subarray(-STDERR_BYTES)]);
  }

  #noteLeft(): void {
    this.#left = true;
    this.#armDrain();
  }

  #handleExit(exit: ProcessExit): void {
    this.#exit = exit;
    if (this.#openStreams === 0 || exit.spawnError) this.#close(exit);
    else this.#armDrain();
  }

  #handleEnd(source: Source): void {
    const splitter = this.#splitters.get(source);
    if (splitter) this.#emitUnfinished(splitter);
    const rest = source === 'stdout' ? this.#pieces?.end() : undefined;
    if (rest) this.#sink.text?.(rest, rest.length);
    this.#openStreams -= 1;
    if (this.#openStreams === 0 && this.#exit) this.#close(this.#exit);
  }

  /** The leader has exited but others hold its pipes: their output is read while they talk, then they are ended. */
  #armDrain(): void {
    clearTimeout(this.#drainTimer);
    this.#drainTimer = setTimeout(() => {
      if (this.#io.paused) {
        this.#armDrain();
        return;
      }
      void this.terminate({ graceMs: 500 });
    }, DRAIN_SILENCE_MS);
  }

  #close(exit: ProcessExit): void {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#drainTimer);
    this.#disarmQuestion();
    const report = () => {
      this.#launch.over();
      this.#sink.closed(exit);
      this.#resolveDone(exit);
    };
    if (this.#interrupted && this.pid !== undefined) this.#termination ??= terminateProcessTree(this.#leader(this.pid));
    // A process closes its streams a moment before it is gone: waits for a termination in progress.
    if (this.#termination) void this.#termination.then(report);
    else report();
  }
}
