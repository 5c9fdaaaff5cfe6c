import type { TraceWriter } from '../../process/trace.ts';
import { Backlog } from './backlog.ts';
import type { AgentEnd, ChannelSink } from './channel.ts';
import { watchArrival } from './kept-process.ts';

type Source = 'stdout' | 'stderr';
/** What a line is kept as, and what was cut, by its first letter. */
const KEPT = { stdout: 'o', stderr: 'e' } as const;
const CUT = { stdout: 'O', stderr: 'E' } as const;
/** After so many kept lines others have their turn. */
const LINES_AT_ONCE = 512;

/**
 * One run of a process that serves several. While its reader stalls, what is said to it is put aside, in order, and the
 * others go on.
 */
export class Member {
  readonly #sink: ChannelSink<string>;
  readonly #backlog = new Backlog();
  readonly #wasLeaving: () => boolean;
  #paused = false;
  #left = false;
  #end: AgentEnd | undefined;
  #draining: NodeJS.Immediate | undefined;

  /** `used`: the process was there before. */
  constructor(sink: ChannelSink<string>, trace: TraceWriter | undefined, lineEnd: '\n' | '', used: boolean) {
    this.#wasLeaving = watchArrival(used);
    this.#sink = trace ? traced(sink, trace, lineEnd) : sink;
  }

  get paused(): boolean {
    return this.#paused;
  }

  /** `alive`: it was meant for this run. */
  line(source: Source, line: string, bytes: number, alive: boolean): void {
    if (this.#left) return;
    if (this.#waits) this.#keep(KEPT[source] + line);
    else this.#tell(source, line, bytes, alive);
  }

  cut(source: Source, totalBytes: number): void {
    if (this.#left) return;
    if (this.#waits) this.#keep(CUT[source] + totalBytes);
    else this.#sink.lineCut(source, totalBytes);
  }

  alive(): void {
    this.#sink.alive();
  }

  late(text: string, runId: string): void {
    this.#sink.late(text, runId);
  }

  /** Nothing more comes; told when all that was put aside has been. */
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

  /** The run is over: what it has not heard it does not want. */
  leave(): void {
    this.#left = true;
    clearImmediate(this.#draining);
    this.#backlog.close();
  }

  get #waits(): boolean {
    return this.#paused || !this.#backlog.empty;
  }

  #keep(text: string): void {
    try {
      this.#backlog.push(text);
    } catch (error) {
      this.#lose(error);
    }
  }

  #drain(): void {
    clearImmediate(this.#draining);
    try {
      for (let told = 0; !this.#paused && !this.#left; told += 1) {
        if (told === LINES_AT_ONCE) {
          this.#draining = setImmediate(() => this.#drain());
          return;
        }
        const text = this.#backlog.shift();
        if (text === undefined) break;
        this.#tellKept(text);
      }
    } catch (error) {
      this.#lose(error);
      return;
    }
    if (this.#end && !this.#waits) this.#close();
  }

  #tellKept(text: string): void {
    const [kind, line] = [text.charAt(0), text.slice(1)];
    if (kind === KEPT.stdout || kind === KEPT.stderr)
      this.#tell(kind === KEPT.stdout ? 'stdout' : 'stderr', line, line.length, true);
    else this.#sink.lineCut(kind === CUT.stdout ? 'stdout' : 'stderr', Number(line));
  }

  #tell(source: Source, line: string, bytes: number, alive: boolean): void {
    if (alive) this.#sink.alive();
    if (source === 'stdout') this.#sink.messages([line], bytes);
    else this.#sink.stderr([line], bytes);
  }

  #close(): void {
    if (this.#end && !this.#left) this.#sink.closed(this.#end);
    this.#end = undefined;
  }

  /** A full disk costs this run, and no other. */
  #lose(error: unknown): void {
    const lost = `what it said while nobody read could not be kept: ${error instanceof Error ? error.message : error}`;
    this.#backlog.close();
    this.#paused = false;
    this.#end = { exit: { code: null, signal: null, lost }, stderr: '' };
    this.#close();
    this.#left = true;
  }
}

/** The process belongs to several runs: each writes down what it got of it. */
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
