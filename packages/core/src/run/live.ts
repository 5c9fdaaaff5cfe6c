import type { AgentAdapter, AgentMode, ParseContext } from '../contract/adapter.ts';
import { StreamAssembler } from '../contract/assembler.ts';
import type { ApprovalMode } from '../contract/capabilities.ts';
import { CapabilityError } from '../contract/errors.ts';
import type { EventBody } from '../contract/events.ts';
import type { LiveCodec, LiveFacet, RequestAnswer } from '../contract/live.ts';
import type { PendingRequest, ResolvedRunOptions, TurnInput } from '../contract/options.ts';
import { toJson } from '../values.ts';
import { withPictures } from './attachments.ts';
import type { Channel, ChannelSink } from './channels/channel.ts';
import { decodeFailure, decodeLines, lineCut } from './decode.ts';
import type { Driver, DriverEnd, DriverSink } from './driver.ts';

export interface LiveSetup<Out, In> {
  adapter: AgentAdapter;
  mode: AgentMode;
  facet: LiveFacet;
  codec: LiveCodec<Record<string, unknown>, Out, In>;
  options: ResolvedRunOptions;
  open: (sink: ChannelSink<In>, state: Record<string, unknown>) => Channel<Out>;
  turnActive: () => boolean;
  asking: () => boolean;
  turnIndex: () => number;
  sink: DriverSink;
}

/** A conversation: one process or server, many turns. */
export class LiveDriver<Out, In> implements Driver {
  readonly turnEndsWithProcess = false;
  readonly #setup: LiveSetup<Out, In>;
  readonly #state: Record<string, unknown>;
  readonly #channel: Channel<Out>;
  readonly #stderrContext: ParseContext;
  #sessionId: string | undefined;
  #sessionStarted = false;
  #heldTurns: TurnInput[] = [];
  #quietTimer: NodeJS.Timeout | undefined;
  #turns = 0;
  #paused = false;

  constructor(setup: LiveSetup<Out, In>) {
    this.#setup = setup;
    this.#state = setup.codec.open(setup.options);
    // Asked for before anything is started: a codec that refuses leaves no process behind.
    const hello = setup.codec.hello(this.#state);
    this.#stderrContext = stderrContext(setup.options);
    this.#channel = setup.open(
      {
        messages: (messages, bytes) => this.#receive(messages, bytes),
        stderr: (lines, bytes) => decodeLines(setup.adapter, lines, 'stderr', this.#stderrContext, bytes, setup.sink),
        lineCut: (source, total) => setup.sink.events([lineCut(source, total)], undefined, 0),
        alive: () => setup.sink.alive(),
        closed: (end) => this.#closed(end),
      },
      this.#state,
    );
    this.#channel.send(hello);
  }

  get handshaking(): boolean {
    return this.#heldTurns.length > 0;
  }

  startTurn(input: TurnInput): void {
    if (this.#setup.facet.sessionFirst && !this.#sessionStarted) {
      this.#heldTurns.push(input);
      return;
    }
    this.#turns += 1;
    this.#channel.send(this.#setup.codec.turn(withPictures(input), this.#state));
    const { facet, options } = this.#setup;
    if (facet.transport === 'stdio' && facet.eofAfterPrompt && !options.interactive) this.#channel.closeInput();
    this.#armQuiet();
  }

  steer(input: TurnInput): void {
    const { codec } = this.#setup;
    if (!codec.steer) throw this.#cannot('steer', 'cannot be steered within a turn');
    this.#channel.send(codec.steer(input, this.#state));
  }

  interrupt(): void {
    const { codec } = this.#setup;
    if (!codec.interrupt) throw this.#cannot('interrupt', 'cannot be interrupted');
    this.#channel.send(codec.interrupt(this.#state));
  }

  resolve(request: PendingRequest, answer: RequestAnswer): void {
    this.#channel.send(this.#setup.codec.resolve(request, answer, this.#state));
    this.#armQuiet();
  }

  setModel(model: string): void {
    const { codec } = this.#setup;
    if (!codec.setModel) throw this.#cannot('setModel', 'cannot change its model while it runs');
    this.#channel.send(codec.setModel(model, this.#state));
  }

  setApprovalMode(mode: ApprovalMode): void {
    const { codec } = this.#setup;
    if (!codec.setApprovalMode) throw this.#cannot('setApprovalMode', 'cannot change its permissions while it runs');
    this.#channel.send(codec.setApprovalMode(mode, this.#state));
  }

  /** While nobody reads, silence says nothing. */
  pause(): void {
    this.#paused = true;
    clearTimeout(this.#quietTimer);
    this.#channel.pause();
  }

  resume(): void {
    this.#paused = false;
    this.#channel.resume();
    this.#armQuiet();
  }

  async finish(graceMs: number): Promise<boolean> {
    clearTimeout(this.#quietTimer);
    this.#channel.send(this.#setup.codec.close?.(this.#state) ?? []);
    return this.#channel.finish(graceMs);
  }

  async kill(): Promise<void> {
    clearTimeout(this.#quietTimer);
    const { facet, codec } = this.#setup;
    // A server or shared process outlives this run: it must hear that its session is over, or it works on for nobody.
    if (facet.transport === 'http' || facet.share) this.#channel.send(codec.close?.(this.#state) ?? []);
    await this.#channel.kill();
  }

  #receive(messages: In[], bytes: number): void {
    const weight = bytes / messages.length;
    for (const message of messages) this.#decode(message, weight);
    this.#armQuiet();
  }

  #decode(message: In, weight: number): void {
    const { codec, sink, turnActive, turnIndex, options } = this.#setup;
    let events: EventBody[];
    try {
      const decoded = codec.decode(message, this.#state, {
        now: Date.now(),
        sessionId: this.#sessionId,
        turnIndex: turnIndex(),
        turnActive: turnActive(),
      });
      events = decoded.events;
      if (decoded.replies && decoded.replies.length > 0) this.#channel.send(decoded.replies);
    } catch (error) {
      events = [decodeFailure(error)];
    }
    const raw = typeof message === 'string' ? message : options.includeRaw ? toJson(message) : undefined;
    if (events.length === 0) {
      if (options.debug && raw) sink.events([{ type: 'log', source: 'stdout', line: raw }], undefined, weight);
      return;
    }
    for (const event of events) {
      if (event.type !== 'session_start') continue;
      if (event.sessionId) this.#sessionId = event.sessionId;
      this.#sessionStarted = true;
    }
    sink.events(events, raw, weight);
    if (this.#sessionStarted) for (const input of this.#heldTurns.splice(0)) this.startTurn(input);
  }

  /** Agents that never say that they are done: silence says it. */
  #armQuiet(): void {
    const { facet, turnActive, asking, sink, options } = this.#setup;
    if (facet.transport !== 'stdio' || facet.quietEndsTurnMs === undefined) return;
    if (this.#turns === 0 || this.#paused) return;
    // It was told that no more comes: its exit ends the turn, however long it thinks before.
    if (facet.eofAfterPrompt && !options.interactive) return;
    clearTimeout(this.#quietTimer);
    this.#quietTimer = setTimeout(() => {
      // While somebody is asked, the silence is theirs.
      if (asking()) this.#armQuiet();
      else if (turnActive())
        sink.events([{ type: 'turn_end', status: 'completed', stopReason: 'quiet' }], undefined, 0);
    }, facet.quietEndsTurnMs);
  }

  #closed(end: DriverEnd): void {
    clearTimeout(this.#quietTimer);
    this.#setup.sink.ended(end);
  }

  #cannot(option: string, what: string): CapabilityError {
    const { adapter, mode } = this.#setup;
    return new CapabilityError(adapter.agent, option, `${adapter.displayName} in mode "${mode.name}" ${what}`);
  }
}

function stderrContext(options: ResolvedRunOptions): ParseContext {
  return {
    runId: options.runId,
    agent: options.agent,
    sessionId: undefined,
    turnIndex: 0,
    debug: options.debug ?? false,
    outputFormat: 'jsonl',
    source: 'stderr',
    assembler: new StreamAssembler(),
    eventCount: 0,
    lastEventType: null,
    adapterState: {},
    now: Date.now(),
    options,
  };
}
