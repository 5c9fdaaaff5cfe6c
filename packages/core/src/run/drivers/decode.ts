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
  readonly #context: ParseContext;
  readonly #assemblers = { stdout: new StreamAssembler(), stderr: new StreamAssembler() };

  constructor(setup: LineDecoderSetup, resumed: boolean) {
    this.#setup = setup;
    const { options, mode } = setup;
    this.#context = {
      runId: options.runId,
      agent: options.agent,
      sessionId: setup.sessionId(),
      turnIndex: setup.turnIndex(),
      debug: options.debug ?? false,
      outputFormat: mode.outputFormat ?? 'text',
      source: 'stdout',
      assembler: this.#assemblers.stdout,
      eventCount: setup.progress.eventCount,
      lastEventType: setup.progress.lastEventType,
      resumed,
      adapterState: {},
      now: Date.now(),
      options,
    };
  }

  /** A chunk's events are told at once, or line by line where each keeps its own. */
  decode(lines: readonly string[], source: Source, bytes: number): void {
    this.#enter(source);
    if (this.#setup.options.includeRaw !== true) {
      this.#tell(this.#decodeLines(lines), undefined, bytes);
      return;
    }
    for (const line of lines) this.#tell(this.#decodeLines([line]), line, bytes / lines.length);
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
    const { progress, sessionId, turnIndex } = this.#setup;
    const context = this.#context;
    context.source = source;
    context.assembler = this.#assemblers[source];
    context.now = Date.now();
    context.sessionId = sessionId() ?? context.sessionId;
    context.turnIndex = turnIndex();
    context.eventCount = progress.eventCount;
    context.lastEventType = progress.lastEventType;
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
    const context = this.#context;
    const blank = isBlank(line);
    // In plain text an empty line is a paragraph; elsewhere it says nothing.
    const meansNothing = context.source === 'stderr' || context.outputFormat !== 'text';
    if (blank && meansNothing && !context.assembler.inBlock) return;
    const decoded = this.#setup.adapter.parseEvent(line, context);
    if (decoded === null) {
      if (context.debug && !blank) events.push({ type: 'log', source: context.source, line });
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
    const context = this.#context;
    noteDecoded(this.#setup.progress, body);
    context.eventCount = this.#setup.progress.eventCount;
    context.lastEventType = body.type;
    if (body.type === 'session_start' && body.sessionId) context.sessionId = body.sessionId;
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
