import { LineSplitter } from './lines.ts';
import { openPipes } from './pipes.ts';
import type { SpawnPlan } from './place/link.ts';
import { openPlace } from './place/open-place.ts';
import type { ProcessExit, ProcessIo, Source } from './process-io.ts';
import { isDying, keepSpareDescriptor, stillAlive } from './process-table.ts';
import { openPty } from './pty.ts';
import { quoteForTerminal, readTerminalLine } from './terminal-text.ts';
import { LAUNCH_VARIABLE, type Leader, type Origin, readOrigin, terminateFamily } from './terminate.ts';
import { TextPieces } from './text-pieces.ts';
import type { TraceWriter } from './trace.ts';
import { type WatchedLaunch, watchLaunch } from './watchman.ts';

export type { ProcessExit } from './process-io.ts';

export interface ProcessSink {
  /** No lines at all: it has written, but ended no line. */
  lines(source: Source, lines: string[], bytes: number): void;
  /** Where it is there, stdout comes by it instead: as text, whether or not a line has ended. */
  text?(piece: string, bytes: number): void;
  /** A line was longer than the limit; its beginning is delivered as a line. */
  lineCut(source: Source, totalBytes: number): void;
  /** The process is gone and its streams are closed: nothing more will come. */
  closed(exit: ProcessExit): void;
}

/** After the exit, descendants may hold the pipes open: so long may they stay silent before they are ended. */
const DRAIN_SILENCE_MS = 1000;
/** What is kept of stderr; a crash report shows less of it. */
const STDERR_KEPT_BYTES = 64 * 1024;
/** On a terminal, a line without its end that stands so long is a question: it is delivered as it is. */
const QUESTION_STANDS_MS = 1000;

/** The other place asks, waits two seconds, and kills; with some time for the way there and back. */
const RELEASE_LIMIT_MS = 6000;

/** One child process in a group of its own; bytes in, lines out. */
export class AgentProcess {
  readonly #io: ProcessIo;
  readonly #terminal: boolean;
  /** Of this process alone: elsewhere on this machine a run may have the same id. */
  readonly #launch: WatchedLaunch;
  readonly #origin: Origin | undefined;
  readonly #sink: ProcessSink;
  readonly #trace: TraceWriter | undefined;
  readonly #splitters = new Map<Source, LineSplitter>();
  /** Instead of a splitter, where text is wanted as it comes; a terminal's is told line by line. */
  readonly #pieces: TextPieces | undefined;
  /** What is being told is the beginning of a line. */
  #unfinished = false;
  #left = false;
  #exit: ProcessExit | undefined;
  #closed = false;
  /** The end of the whole family, once it has been asked for. */
  #family: Promise<void> | undefined;
  /** It may go by itself then, and leave behind what has left its group. */
  #interrupted = false;
  #openStreams: number;
  #drainTimer: NodeJS.Timeout | undefined;
  #questionTimer: NodeJS.Timeout | undefined;
  #questionSeen: NodeJS.Immediate | undefined;
  #stderrTail: Buffer = Buffer.alloc(0);
  /** Resolves when the streams are closed. */
  readonly done: Promise<ProcessExit>;
  #resolveDone: (exit: ProcessExit) => void = () => {};

  constructor(given: SpawnPlan, runId: string, sink: ProcessSink, trace?: TraceWriter) {
    this.#launch = watchLaunch(runId);
    const plan = { ...given, env: { ...given.env, [LAUNCH_VARIABLE]: this.#launch.mark } };
    this.#sink = sink;
    this.#trace = trace;
    this.#terminal = plan.usePty;
    this.#pieces = sink.text && !plan.usePty ? new TextPieces() : undefined;
    this.done = new Promise((resolve) => {
      this.#resolveDone = resolve;
    });
    const ioSink = {
      data: (source: Source, chunk: Buffer) => this.#receive(source, chunk),
      ended: (source: Source) => this.#takeEnd(source),
      left: () => this.#noteLeft(),
      exited: (exit: ProcessExit) => this.#takeExit(exit),
    };
    keepSpareDescriptor();
    try {
      if (plan.usePty) this.#io = openPty(plan, ioSink, { echo: false });
      else this.#io = plan.place ? openPlace(plan, plan.place, ioSink) : openPipes(plan, ioSink);
    } catch (error) {
      this.#launch.over();
      throw error;
    }
    this.#origin = this.#io.pid === undefined ? undefined : readOrigin(this.#io.pid);
    if (this.#io.pid !== undefined) this.#launch.started(this.#io.pid, this.#origin);
    this.#openStreams = this.#io.sources.length;
    for (const source of this.#io.sources) this.#splitters.set(source, this.#splitter(source));
  }

  get pid(): number | undefined {
    return this.#io.pid;
  }

  /** The end of stderr (of a terminal: of all), more than a report shows, so that no half of a secret is left where it is cut. */
  get stderrTail(): string {
    const tail = this.#stderrTail.toString('utf8');
    return this.#terminal ? tail.split('\n').map(readTerminalLine).join('\n') : tail;
  }

  get exited(): boolean {
    return this.#exit !== undefined || this.#left || this.#closed;
  }

  /** Looked at now: that it was killed a moment ago may not have been told yet. */
  get living(): boolean {
    if (this.exited || this.pid === undefined) return false;
    if (this.#origin === undefined) return true;
    const { startTime } = this.#origin;
    return stillAlive([{ pid: this.pid, startTime }]).length > 0 && !isDying(this.pid);
  }

  /** On a terminal as if it were typed. Throws for what a terminal would cut. */
  write(data: string): void {
    const text = this.#terminal ? quoteForTerminal(data) : data;
    if (this.exited) return;
    this.#trace?.write('in', data);
    this.#io.write(text);
  }

  closeStdin(): void {
    this.#io.closeInput();
  }

  /** While nobody reads, an unfinished line is no question. */
  pause(): void {
    this.#disarmQuestion();
    this.#io.pause();
  }

  resume(): void {
    this.#io.resume();
    this.#armQuestion();
  }

  /** False: the host may exit while this process runs. */
  keepHost(wanted: boolean): void {
    this.#io.keepHost(wanted);
  }

  /** To the whole group, as a terminal's Ctrl-C would. */
  interrupt(): void {
    if (this.exited) return;
    this.#interrupted = true;
    this.#io.interrupt();
  }

  /** True: it went by itself within the time. Else it is ended. */
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
      // Interactive programs on a terminal do not mind SIGTERM; that their terminal goes away they do.
      const first = options.first ?? (this.#terminal ? 'SIGHUP' : undefined);
      const how = { ...options, ...(first && { first }) };
      this.#family = terminateFamily(this.#leader(this.pid), how);
      await this.#family;
    }
    if (!this.#closed && (this.#exit || this.#left)) this.#io.drop();
    await this.done;
  }

  #leader(pid: number): Leader {
    return { pid, mark: `${LAUNCH_VARIABLE}=${this.#launch.mark}`, exited: () => this.exited, origin: this.#origin };
  }

  /** A process in another place can only be ended from there: it is told so, and has its time to do it. */
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
      (lines, bytes) => this.#tell(source, this.#terminal ? lines.map(readTerminalLine) : lines, bytes),
      (total) => this.#sink.lineCut(source, total),
    );
  }

  #tell(source: Source, lines: string[], bytes: number): void {
    if (this.#sink.text && source === 'stdout')
      this.#sink.text(lines.join('\n') + (this.#unfinished ? '' : '\n'), bytes);
    else this.#sink.lines(source, lines, bytes);
  }

  /** A line that may go on. */
  #tellUnfinished(splitter: LineSplitter): void {
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
    // A progress bar that redraws its line is at work, though no line ends.
    if (!chunk.includes('\n')) this.#sink.lines(source, [], 0);
    this.#armQuestion();
  }

  #armQuestion(): void {
    this.#disarmQuestion();
    const splitter = this.#splitters.get('stdout');
    if (!this.#terminal || !splitter?.pending || this.#io.paused) return;
    this.#questionTimer = setTimeout(() => {
      // If this process was too busy to read, the rest of the line is waiting: it is read before.
      this.#questionSeen = setImmediate(() => this.#tellUnfinished(splitter));
    }, QUESTION_STANDS_MS);
  }

  #disarmQuestion(): void {
    clearTimeout(this.#questionTimer);
    clearImmediate(this.#questionSeen);
  }

  #keepStderr(chunk: Buffer): void {
    const kept = this.#stderrTail.subarray(Math.max(0, this.#stderrTail.length + chunk.length - STDERR_KEPT_BYTES));
    this.#stderrTail = Buffer.concat([kept, chunk.subarray(-STDERR_KEPT_BYTES)]);
  }

  #noteLeft(): void {
    this.#left = true;
    this.#armDrain();
  }

  #takeExit(exit: ProcessExit): void {
    this.#exit = exit;
    if (this.#openStreams === 0 || exit.spawnError) this.#close(exit);
    else this.#armDrain();
  }

  #takeEnd(source: Source): void {
    const splitter = this.#splitters.get(source);
    if (splitter) this.#tellUnfinished(splitter);
    const rest = source === 'stdout' ? this.#pieces?.end() : undefined;
    if (rest) this.#sink.text?.(rest, rest.length);
    this.#openStreams -= 1;
    if (this.#openStreams === 0 && this.#exit) this.#close(this.#exit);
  }

  /** The leader has exited, somebody else holds its pipes: as long as they talk they are heard, then they are ended. */
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
    const tell = () => {
      this.#launch.over();
      this.#sink.closed(exit);
      this.#resolveDone(exit);
    };
    if (this.#interrupted && this.pid !== undefined) this.#family ??= terminateFamily(this.#leader(this.pid));
    // A process closes its streams a moment before it is gone: who is being ended is waited for.
    if (this.#family) void this.#family.then(tell);
    else tell();
  }
}
