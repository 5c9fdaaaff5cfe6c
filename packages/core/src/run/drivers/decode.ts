import type { AgentAdapter, AgentMode, ParseContext } from '../../contract/adapter.ts';
import { StreamAssembler } from '../../contract/assembler.ts';
import type { EventBody } from '../../contract/events.ts';
import type { ResolvedRunOptions } from '../../contract/options.ts';
import { MAX_LINE_BYTES } from '../../process/lines.ts';
import type { DriverSink } from './driver.ts';

type Source = ParseContext['source'];

const SPACE = 0x20;
const LAST_ASCII = 0x7f;

/** What a run has decoded so far, over all its turns, processes and attempts. */
export interface DecodeProgress {
  eventCount: number;
  lastEventType: string | null;
}

export interface LineDecoderSetup {
  adapter: AgentAdapter;
  mode: AgentMode;
  options: ResolvedRunOptions;
  progress: DecodeProgress;
  /** The agent session id, as soon as it is known. */
  sessionId: () => string | undefined;
  turnIndex: () => number;
  sink: DriverSink;
}

/** Passes the lines of one process through the adapter's decoder. */
export class LineDecoder {
  readonly #setup: LineDecoderSetup;
  readonly #assemblers = { stdout: new StreamAssembler(), stderr: new StreamAssembler() };
  readonly #adapterState: Record<string, unknown> = {};
  readonly #isResumed: boolean;
  readonly #isText: boolean;
  #source: Source = 'stdout';
  #sessionId: string | undefined;
  /** For the adapter only, which may freeze it or define throwing getters: the engine never reads it. */
  #context: ParseContext;

  constructor(setup: LineDecoderSetup, resumed: boolean) {
    this.#setup = setup;
    this.#isResumed = resumed;
    this.#isText = (setup.mode.outputFormat ?? 'text') === 'text';
    this.#context = this.#newContext();
  }

  #newContext(): ParseContext {
    const { options, mode, progress, sessionId, turnIndex } = this.#setup;
    this.#sessionId = sessionId() ?? this.#sessionId;
    return {
      runId: options.runId,
      agent: options.agent,
      sessionId: this.#sessionId,
      turnIndex: turnIndex(),
      debug: options.debug ?? false,
      outputFormat: mode.outputFormat ?? 'text',
      source: this.#source,
      assembler: this.#assemblers[this.#source],
      eventCount: progress.eventCount,
      lastEventType: progress.lastEventType,
      resumed: this.#isResumed,
      adapterState: this.#adapterState,
      now: Date.now(),
      options,
    };
  }

  /** Emits the events of a chunk together, or line by line if each keeps its raw line. */
  decode(lines: readonly string[], source: Source, bytes: number): void {
    try {
      this.#enter(source);
      if (this.#setup.options.includeRaw !== true) {
        this.#emit(this.#decodeLines(lines), undefined, bytes);
        return;
      }
      for (const line of lines) this.#emit(this.#decodeLines([line]), line, bytes / lines.length);
    } catch (error) {
      // Called from a stream, where an exception would end the host.
      this.#setup.sink.failed(error);
    }
  }

  /** Emits what was buffered for an unfinished block: the process or its time is over. */
  flush(): void {
    for (const source of ['stdout', 'stderr'] as const) {
      const rest = this.#assemblers[source].endBlock();
      if (rest !== null) this.decode([rest], source, rest.length);
    }
  }

  /** Called when the process has closed its streams. */
  end(exit: { code: number | null; signal: string | null }): void {
    const { adapter, sink } = this.#setup;
    this.flush();
    this.#enter('stdout');
    const last = adapter.parseEnd?.(this.#context, { code: exit.code, signal: exit.signal }) ?? [];
    for (const body of last) this.#note(body);
    if (last.length > 0) sink.events(last, undefined, 0);
  }

  #enter(source: Source): void {
    this.#source = source;
    this.#context = this.#newContext();
  }

  /** Separate from `#emit`: its sink differs per run, so a loop that calls it would be recompiled for each run. */
  #decodeLines(lines: readonly string[]): EventBody[] {
    const events: EventBody[] = [];
    for (const line of lines) this.#decodeLine(line, events);
    return events;
  }

  #emit(events: EventBody[], raw: string | undefined, bytes: number): void {
    if (events.length > 0) this.#setup.sink.events(events, raw, bytes);
  }

  #decodeLine(line: string, events: EventBody[]): void {
    const source = this.#source;
    const blank = isBlank(line);
    // In plain text an empty line is a paragraph; in other formats it has no meaning.
    const meansNothing = source === 'stderr' || !this.#isText;
    if (blank && meansNothing && !this.#assemblers[source].inBlock) return;
    const decoded = this.#setup.adapter.parseEvent(line, this.#context);
    if (decoded === null) {
      if (this.#setup.options.debug && !blank) events.push({ type: 'log', source, line });
      return;
    }
    if (!Array.isArray(decoded)) {
      this.#note(decoded);
      events.push(decoded);
      return;
    }
    for (const body of decoded) {
      this.#note(body);
      events.push(body);
    }
  }

  #note(body: EventBody): void {
    const { progress } = this.#setup;
    noteDecoded(progress, body);
    if (body.type === 'session_start' && body.sessionId) this.#sessionId = body.sessionId;
    try {
      this.#context.eventCount = progress.eventCount;
      this.#context.lastEventType = body.type;
      this.#context.sessionId = this.#sessionId;
    } catch {
      // The adapter froze the state; the next chunk gets a new one.
    }
  }
}

export function noteDecoded(progress: DecodeProgress, body: EventBody): void {
  progress.eventCount += 1;
  progress.lastEventType = body.type;
}

export function lineCut(source: Source, total: number): EventBody {
  const message = `a line of ${total} bytes on ${source} was cut after ${MAX_LINE_BYTES}`;
  const data = { source, totalBytes: total, keptBytes: MAX_LINE_BYTES };
  return { type: 'debug', level: 'warn', code: 'line_truncated', message, data };
}

function isBlank(line: string): boolean {
  // Blank characters above a space are rare: the first character decides for nearly every line.
  const first = line.charCodeAt(0);
  return !(first > SPACE && first < LAST_ASCII) && line.trim() === '';
}
