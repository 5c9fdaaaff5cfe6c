import type { AgentAdapter, AgentMode } from '../../contract/adapter.ts';
import type { ApprovalMode } from '../../contract/capabilities.ts';
import type { EventBody } from '../../contract/events.ts';
import type { Decoded, LiveCodec, LiveFacet, RequestAnswer, Seat } from '../../contract/live.ts';
import type { PendingRequest, ResolvedRunOptions, TurnInput } from '../../contract/options.ts';
import { toJson } from '../../values.ts';
import type { AgentEnd, Channel, ChannelSink } from '../channels/channel.ts';
import { handshakeFailure, handshakeLimit, stepOf } from '../channels/handshake.ts';
import { readAttachments } from '../options/attachments.ts';
import { asRunError, wordsOfAdapter } from '../turns/failure.ts';
import { type DecodeProgress, LineDecoder, lineCut, noteDecoded } from './decode.ts';
import type { Driver, DriverSink } from './driver.ts';
import { refuseVerb } from './driver.ts';

export interface LiveSetup<Out, In> {
  adapter: AgentAdapter;
  mode: AgentMode;
  facet: LiveFacet;
  codec: LiveCodec<Record<string, unknown>, Out, In>;
  options: ResolvedRunOptions;
  /** In a process that is shared. */
  seat?: Seat;
  open: (sink: ChannelSink<In>, state: Record<string, unknown>) => Channel<Out>;
  turnActive: () => boolean;
  asking: () => boolean;
  turnIndex: () => number;
  progress: DecodeProgress;
  /** So long may it take from the start to an open session; see HANDSHAKE_LIMIT_MS. */
  handshakeMs: number;
  /** Nobody waits any longer: no turn is begun. */
  over: AbortSignal;
  sink: DriverSink;
}

/** What works behind a bridge is not waited for longer, once it was told to stop. */
const STOP_LIMIT_MS = 3000;
/** What is kept of stderr until the agent has answered. */
const HEARD_CHARS = 16 * 1024;

/** A conversation: one process or server, many turns. */
export class LiveDriver<Out, In> implements Driver {
  readonly turnEndsWithProcess = false;
  readonly #setup: LiveSetup<Out, In>;
  readonly #state: Record<string, unknown>;
  readonly #channel: Channel<Out>;
  readonly #stderr: LineDecoder;
  #sessionId: string | undefined;
  #sessionStarted = false;
  #heldTurns: TurnInput[] = [];
  #quietTimer: NodeJS.Timeout | undefined;
  /** Undefined: the agent has answered. */
  #handshakeTimer: NodeJS.Timeout | undefined;
  /** What it was asked last, and what stderr has said meanwhile. */
  #step = 'its start';
  #heard = '';
  #paused = false;
  #cannotTellSilence = false;
  /** Whoever waits for the work to stop. */
  #onTurnEnd: () => void = () => {};

  constructor(setup: LiveSetup<Out, In>) {
    this.#setup = setup;
    this.#state = setup.codec.open(setup.options, setup.seat);
    // Asked for before anything is started: a codec that refuses leaves no process behind.
    const hello = setup.codec.hello(this.#state);
    const { sessionId, forkSessionId } = setup.options;
    this.#stderr = new LineDecoder(
      { ...setup, sessionId: () => this.#sessionId ?? sessionId },
      sessionId !== undefined || forkSessionId !== undefined,
    );
    this.#channel = setup.open(
      {
        messages: (messages, bytes) => this.#receive(messages, bytes),
        stderr: (lines, bytes) => this.#takeStderr(lines, bytes),
        lineCut: (source, total) => setup.sink.events([lineCut(source, total)], undefined, 0),
        alive: () => setup.sink.alive(),
        late: (text, runId) => setup.sink.events([lateOutput(text, runId)], undefined, text.length),
        closed: (end) => this.#takeEnd(end),
      },
      this.#state,
    );
    const { facet } = setup;
    if (facet.sessionFirst || (facet.transport === 'stdio' && facet.answersHello)) this.#watchHandshake();
    this.#send(hello);
  }

  get handshaking(): boolean {
    return this.#heldTurns.length > 0;
  }

  startTurn(input: TurnInput): void {
    if (this.#setup.facet.sessionFirst && !this.#sessionStarted) {
      this.#heldTurns.push(input);
      return;
    }
    // What was kept back belongs to what was before.
    this.#tellKept();
    this.#channel.send(this.#setup.codec.turn(readAttachments(input), this.#state));
    const { facet, options } = this.#setup;
    if (facet.transport === 'stdio' && facet.eofAfterPrompt && !options.interactive) this.#channel.closeInput();
    this.#armQuiet();
  }

  steer(input: TurnInput): void {
    const { codec } = this.#setup;
    if (!codec.steer) throw refuseVerb(this.#setup, 'steer', 'cannot be steered within a turn');
    this.#channel.send(codec.steer(input, this.#state));
  }

  interrupt(): void {
    const { codec } = this.#setup;
    if (!codec.interrupt) throw refuseVerb(this.#setup, 'interrupt', 'cannot be interrupted');
    this.#channel.send(codec.interrupt(this.#state));
  }

  resolve(request: PendingRequest, answer: RequestAnswer): void {
    this.#channel.send(this.#setup.codec.resolve(request, answer, this.#state));
    this.#armQuiet();
  }

  setModel(model: string): void {
    const { codec } = this.#setup;
    if (!codec.setModel) throw refuseVerb(this.#setup, 'setModel', 'cannot change its model while it runs');
    this.#channel.send(codec.setModel(model, this.#state));
  }

  setApprovalMode(mode: ApprovalMode): void {
    const { codec } = this.#setup;
    if (!codec.setApprovalMode)
      throw refuseVerb(this.#setup, 'setApprovalMode', 'cannot change its permissions while it runs');
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

  flush(): void {
    this.#stderr.flush();
  }

  async finish(graceMs: number): Promise<boolean> {
    this.#stopTimers();
    this.#sayGoodbye();
    return this.#channel.finish(graceMs);
  }

  async kill(): Promise<void> {
    this.#stopTimers();
    const { facet } = this.#setup;
    // A server or shared process outlives this run: it must hear that its session is over, or it works on for nobody.
    if (facet.transport === 'http' || facet.share) this.#sayGoodbye();
    else if (facet.isBridge) await this.#stopWork();
    await this.#channel.kill();
  }

  /** What works behind a bridge has a while to say that it has stopped. */
  async #stopWork(): Promise<void> {
    const { codec, turnActive } = this.#setup;
    if (!codec.interrupt || !turnActive()) return;
    const { promise: stopped, resolve } = Promise.withResolvers<void>();
    this.#onTurnEnd = resolve;
    const timer = setTimeout(resolve, STOP_LIMIT_MS);
    try {
      this.interrupt();
      await stopped;
    } catch {
      // It cannot be told: then it is only ended.
    } finally {
      clearTimeout(timer);
    }
  }

  /** Whatever is wrong with the last words, the agent is let go. */
  #sayGoodbye(): void {
    const { codec, sink } = this.#setup;
    try {
      this.#channel.send(codec.close?.(this.#state) ?? []);
    } catch (error) {
      sink.events([{ type: 'error', ...asRunError(error), recoverable: true }], undefined, 0);
    }
  }

  #receive(messages: In[], bytes: number): void {
    const weight = bytes / messages.length;
    if (!this.#setup.facet.sessionFirst) this.#handshakeOver();
    for (const message of messages) this.#decode(message, weight);
    this.#armQuiet();
  }

  #decode(message: In, weight: number): void {
    const { codec, turnActive, options } = this.#setup;
    const decoded = codec.decode(message, this.#state, {
      now: Date.now(),
      turnActive: turnActive(),
    });
    const raw = typeof message === 'string' ? message : options.includeRaw ? toJson(message) : undefined;
    this.#tell(decoded, raw, weight);
  }

  #tell({ events, replies = [] }: Decoded<Out>, raw: string | undefined, weight: number): void {
    const { sink, options, progress } = this.#setup;
    if (replies.length > 0) this.#send(replies);
    if (events.length === 0) {
      if (options.debug && raw) sink.events([{ type: 'log', source: 'stdout', line: raw }], undefined, weight);
      return;
    }
    for (const event of events) {
      noteDecoded(progress, event);
      if (event.type === 'turn_end') this.#onTurnEnd();
      if (event.type !== 'session_start') continue;
      if (event.sessionId) this.#sessionId = event.sessionId;
      this.#sessionStarted = true;
      this.#handshakeOver();
    }
    sink.events(events, raw, weight);
    // Whoever heard of the session may have ended the run for what it is.
    if (this.#sessionStarted && this.#heldTurns.length > 0 && !this.#setup.over.aborted) this.#startHeldTurns();
  }

  #startHeldTurns(): void {
    try {
      for (const input of this.#heldTurns.splice(0)) this.startTurn(input);
    } catch (error) {
      this.#setup.sink.failed(error);
    }
  }

  #send(messages: readonly Out[]): void {
    this.#step = messages.map(stepOf).findLast((step) => step !== undefined) ?? this.#step;
    this.#channel.send(messages);
  }

  #takeStderr(lines: string[], bytes: number): void {
    if (this.#handshakeTimer) this.#heard = `${this.#heard}${lines.join('\n')}\n`.slice(-HEARD_CHARS);
    this.#stderr.decode(lines, 'stderr', bytes);
  }

  #watchHandshake(): void {
    const { adapter, asking, handshakeMs, options, sink } = this.#setup;
    const limitMs = handshakeLimit(handshakeMs, options.invocation);
    this.#handshakeTimer = setTimeout(() => {
      // Somebody is asked, or nobody reads: the agent is not to blame.
      if (asking() || this.#paused) return this.#watchHandshake();
      this.#stderr.flush();
      const failure = handshakeFailure(adapter.displayName, this.#step, limitMs, this.#heard);
      sink.events([failure, { type: 'turn_end', status: 'failed' }], undefined, 0);
      void this.#channel.kill();
    }, limitMs);
  }

  #handshakeOver(): void {
    clearTimeout(this.#handshakeTimer);
    this.#handshakeTimer = undefined;
    this.#heard = '';
  }

  #stopTimers(): void {
    clearTimeout(this.#quietTimer);
    this.#handshakeOver();
  }

  /** Agents that never say that they are done: their codec knows what silence means. */
  #armQuiet(): void {
    const { asking } = this.#setup;
    clearTimeout(this.#quietTimer);
    const afterMs = this.#paused ? undefined : this.#quietMs();
    if (afterMs === undefined) return;
    this.#quietTimer = setTimeout(() => {
      // While somebody is asked, the silence is theirs.
      if (asking()) this.#armQuiet();
      else this.#tellKept(false);
    }, afterMs);
  }

  /** A codec that cannot say how long is asked no more: its silence means nothing then. */
  #quietMs(): number | undefined {
    const { codec, sink } = this.#setup;
    if (this.#cannotTellSilence) return undefined;
    try {
      return codec.quietMs?.(this.#state);
    } catch (error) {
      this.#cannotTellSilence = true;
      sink.events([{ type: 'error', ...asRunError(error), recoverable: true }], undefined, 0);
      return undefined;
    }
  }

  #tellKept(over = true): void {
    const said = this.#setup.codec.quiet?.(this.#state, over);
    if (said) this.#tell(said, undefined, 0);
  }

  #takeEnd(end: AgentEnd): void {
    this.#stopTimers();
    this.#onTurnEnd();
    const { adapter, sink } = this.#setup;
    this.#tellKept();
    this.#stderr.flush();
    sink.ended({ ...end, words: wordsOfAdapter(adapter, end.exit) });
  }
}

function lateOutput(text: string, runId: string): EventBody {
  const message = `what it printed after run ${runId} had ended: no answer to this one`;
  return { type: 'debug', level: 'warn', code: 'late_output', message, data: { runId, text } };
}
