import type { TraceWriter } from '../../process/trace.ts';
import { Backlog } from './backlog.ts';
import type { AgentEnd, ChannelSink } from './channel.ts';
import { watchArrival } from './pooled-process.ts';

type Source = 'stdout' | 'stderr';
/** First letter of a backlog entry: a line, or a cut line. */
const STORED = { stdout: 'o', stderr: 'e' } as const;
const CUT = { stdout: 'O', stderr: 'E' } as const;
/** Lines drained before other work gets a turn. */
const LINES_AT_ONCE = 512;

/**
 * One run's connection to a process that serves several. While its reader stalls, its output goes to a backlog, in
 * order, and the other runs continue.
 */
export class SharedProcessClient {
  readonly #sink: ChannelSink<string>;
  readonly #backlog = new Backlog();
  readonly #wasLeaving: () => boolean;
  #paused = false;
  #left = false;
  #end: AgentEnd | undefined;
  #draining: NodeJS.Immediate | undefined;

  /** `used`: the process already existed. */
  constructor(sink: ChannelSink<string>, trace: TraceWriter | undefined, lineEnd: '\n' | '', used: boolean) {
    this.#wasLeaving = watchArrival(used);
    this.#sink = trace ? traced(sink, trace, lineEnd) : sink;
  }

  get paused(): boolean {
    return this.#paused;
  }

  /** `alive`: the line was meant for this run. */
  line(source: Source, line: string, bytes: number, alive: boolean): void {
    if (this.#left) return;
    if (this.#waits) this.#store(STORED[source] + line);
    else this.#deliver(source, line, bytes, alive);
  }

  cut(source: Source, totalBytes: number): void {
    if (this.#left) return;
    if (this.#waits) this.#store(CUT[source] + totalBytes);
    else this.#sink.lineCut(source, totalBytes);
  }

  alive(): void {
    this.#sink.alive();
  }

  late(text: string, runId: string): void {
    this.#sink.late(text, runId);
  }

  /** The process has closed; reported to the run after its backlog is drained. */
  closed(end: AgentEnd): void {
    this.#end = { ...end, stale: this.#wasLeaving() };
    if (!this.#waits) this.#close();
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    this.#drain();
  }

  /** The run is over: drops what it has not read. */
  leave(): void {
    this.#left = true;
    clearImmediate(this.#draining);
    this.#backlog.close();
  }

  get #waits(): boolean {
    return this.#paused || !this.#backlog.empty;
  }

  #store(text: string): void {
    try {
      this.#backlog.push(text);
    } catch (error) {
      this.#lose(error);
    }
  }

  #drain(): void {
    clearImmediate(this.#draining);
    try {
      for (let sent = 0; !this.#paused && !this.#left; sent += 1) {
        if (sent === LINES_AT_ONCE) {
          this.#draining = setImmediate(() => this.#drain());
          return;
        }
        const text = this.#backlog.shift();
        if (text === undefined) break;
        this.#deliverStored(text);
      }
    } catch (error) {
      this.#lose(error);
      return;
    }
    if (this.#end && !this.#waits) this.#close();
  }

  #deliverStored(text: string): void {
    const [kind, line] = [text.charAt(0), text.slice(1)];
    if (kind === STORED.stdout || kind === STORED.stderr)
      this.#deliver(kind === STORED.stdout ? 'stdout' : 'stderr', line, line.length, true);
    else this.#sink.lineCut(kind === CUT.stdout ? 'stdout' : 'stderr', Number(line));
  }

  #deliver(source: Source, line: string, bytes: number, alive: boolean): void {
    if (alive) this.#sink.alive();
    if (source === 'stdout') this.#sink.messages([line], bytes);
    else this.#sink.stderr([line], bytes);
  }

  #close(): void {
    if (this.#end && !this.#left) this.#sink.closed(this.#end);
    this.#end = undefined;
  }

  /** A full disk ends this run only. */
  #lose(error: unknown): void {
    const lost = `cannot store the backlog of a stalled reader: ${error instanceof Error ? error.message : error}`;
    this.#backlog.close();
    this.#paused = false;
    this.#end = { exit: { code: null, signal: null, lost }, stderr: '' };
    this.#close();
    this.#left = true;
  }
}

/** The process belongs to several runs: each traces what it received. */
function traced(sink: ChannelSink<string>, trace: TraceWriter, lineEnd: '\n' | ''): ChannelSink<string> {
  return {
    ...sink,
    messages: (lines, bytes) => {
      trace.write('stdout', lines.join('\n') + lineEnd);
      sink.messages(lines, bytes);
    },
    stderr: (lines, bytes) => {
      trace.write('stderr', `${lines.join('\n')}\n`);
      sink.stderr(lines, bytes);
    },
  };
}
