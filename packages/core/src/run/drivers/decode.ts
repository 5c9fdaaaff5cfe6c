import type { AgentAdapter, AgentMode, ParseContext } from '../../contract/adapter.ts';
import { StreamAssembler } from '../../contract/assembler.ts';
import type { EventBody } from '../../contract/events.ts';
import type { ResolvedRunOptions } from '../../contract/options.ts';
import { MAX_LINE_BYTES } from '../../process/lines.ts';
import type { DriverSink } from './driver.ts';

type Source = ParseContext['source'];

const SPACE = 0x20;
const LAST_ASCII = 0x7f;

/** What has been decoded so far in a run, over all its turns, processes and attempts. */
export interface DecodeProgress {
  eventCount: number;
  lastEventType: string | null;
}

export interface LineDecoderSetup {
  adapter: AgentAdapter;
  mode: AgentMode;
  options: ResolvedRunOptions;
  progress: DecodeProgress;
  /** The native session id as far as it is known. */
  sessionId: () => string | undefined;
  turnIndex: () => number;
  sink: DriverSink;
}

/** The lines of one process through the adapter's decoder. */
export class LineDecoder {
  readonly #setup: LineDecoderSetup;
  readonly #assemblers = { stdout: new StreamAssembler(), stderr: new StreamAssembler() };
  readonly #adapterState: Record<string, unknown> = {};
  readonly #isResumed: boolean;
  readonly #isText: boolean;
  #source: Source = 'stdout';
  #sessionId: string | undefined;
  /** For the adapter alone, which may freeze it or define a getter that throws: nothing is read from it here. */
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

  /** A chunk's events are told at once, or line by line where each keeps its own. */
  decode(lines: readonly string[], source: Source, bytes: number): void {
    try {
      this.#enter(source);
      if (this.#setup.options.includeRaw !== true) {
        this.#tell(this.#decodeLines(lines), undefined, bytes);
        return;
      }
      for (const line of lines) this.#tell(this.#decodeLines([line]), line, bytes / lines.length);
    } catch (error) {
      // Called from a stream, where an exception would end the host.
      this.#setup.sink.failed(error);
    }
  }

  /** What was kept for a block whose end has not come: the process or its time is over. */
  flush(): void {
    for (const source of ['stdout', 'stderr'] as const) {
      const rest = this.#assemblers[source].endBlock();
      if (rest !== null) this.decode([rest], source, rest.length);
    }
  }

  /** The process has closed its streams. */
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

  /** Apart from `#tell`: whom it tells differs by run, and a loop that calls it would be compiled anew for each. */
  #decodeLines(lines: readonly string[]): EventBody[] {
    const events: EventBody[] = [];
    for (const line of lines) this.#decodeLine(line, events);
    return events;
  }

  #tell(events: EventBody[], raw: string | undefined, bytes: number): void {
    if (events.length > 0) this.#setup.sink.events(events, raw, bytes);
  }

  #decodeLine(line: string, events: EventBody[]): void {
    const source = this.#source;
    const blank = isBlank(line);
    // In plain text an empty line is a paragraph; elsewhere it says nothing.
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
      // The adapter made it unwritable; the next chunk gets a new one.
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
  return { type: 'debug', level: 'warn', code: 'line_cut', message, data };
}

function isBlank(line: string): boolean {
  // All that is blank and above a space is rare: nearly every line is decided by its first character.
  const first = line.charCodeAt(0);
  return !(first > SPACE && first < LAST_ASCII) && line.trim() === '';
}
