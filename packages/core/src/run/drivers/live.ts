import type { AgentAdapter, AgentMode } from '../../contract/adapter.ts';
import type { ApprovalMode } from '../../contract/capabilities.ts';
import type { EventBody } from '../../contract/events.ts';
import type { ChannelSlot, Decoded, LiveCodec, LiveSpec, RequestAnswer } from '../../contract/live.ts';
import type { PendingRequest, ResolvedRunOptions, TurnInput } from '../../contract/options.ts';
import { toJson } from '../../values.ts';
import type { AgentEnd, Channel, ChannelSink } from '../channels/channel.ts';
import { handshakeFailure, handshakeLimit, stepOf } from '../channels/handshake.ts';
import { readAttachments } from '../options/attachments.ts';
import { adapterMessage, asRunError } from '../turns/failure.ts';
import { type DecodeProgress, LineDecoder, lineCut, noteDecoded } from './decode.ts';
import type { Driver, DriverSink } from './driver.ts';
import { unsupportedVerbError } from './driver.ts';

export interface LiveSetup<Out, In> {
  adapter: AgentAdapter;
  mode: AgentMode;
  spec: LiveSpec;
  codec: LiveCodec<Record<string, unknown>, Out, In>;
  options: ResolvedRunOptions;
  /** Set if the process is shared. */
  slot?: ChannelSlot;
  open: (sink: ChannelSink<In>, state: Record<string, unknown>) => Channel<Out>;
  turnActive: () => boolean;
  asking: () => boolean;
  turnIndex: () => number;
  progress: DecodeProgress;
  /** Time limit from the start to an open session; see HANDSHAKE_LIMIT_MS. */
  handshakeMs: number;
  /** Aborted when no one waits any longer: no further turn starts. */
  over: AbortSignal;
  sink: DriverSink;
}

/** Time that the work behind a bridge has to stop after an interrupt. */
const STOP_LIMIT_MS = 3000;
/** Maximum stderr stored until the agent has answered. */
const STDERR_CHARS = 16 * 1024;

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
  /** Undefined once the agent has answered. */
  #handshakeTimer: NodeJS.Timeout | undefined;
  /** The last request of the handshake, and stderr since the start. */
  #step = 'its start';
  #stderrText = '';
  #paused = false;
  #idleMsFailed = false;
  /** Resolves the wait for the work to stop. */
  #onTurnEnd: () => void = () => {};

  constructor(setup: LiveSetup<Out, In>) {
    this.#setup = setup;
    this.#state = setup.codec.open(setup.options, setup.slot);
    // Built before anything starts: a codec that throws leaves no process.
    const hello = setup.codec.handshake(this.#state);
    const { sessionId, forkSessionId } = setup.options;
    this.#stderr = new LineDecoder(
      { ...setup, sessionId: () => this.#sessionId ?? sessionId },
      sessionId !== undefined || forkSessionId !== undefined,
    );
    this.#channel = setup.open(
      {
        messages: (messages, bytes) => this.#receive(messages, bytes),
        stderr: (lines, bytes) => this.#receiveStderr(lines, bytes),
        lineCut: (source, total) => setup.sink.events([lineCut(source, total)], undefined, 0),
        alive: () => setup.sink.alive(),
        late: (text, runId) => setup.sink.events([lateOutput(text, runId)], undefined, text.length),
        closed: (end) => this.#handleEnd(end),
      },
      this.#state,
    );
    const { spec } = setup;
    if (spec.waitForSession || (spec.transport === 'stdio' && spec.answersHandshake)) this.#watchHandshake();
    this.#send(hello);
  }

  get handshaking(): boolean {
    return this.#heldTurns.length > 0;
  }

  startTurn(input: TurnInput): void {
    if (this.#setup.spec.waitForSession && !this.#sessionStarted) {
      this.#heldTurns.push(input);
      return;
    }
    // Buffered events belong to the previous turn.
    this.#emitBuffered();
    this.#channel.send(this.#setup.codec.turn(readAttachments(input), this.#state));
    const { spec, options } = this.#setup;
    if (spec.transport === 'stdio' && spec.eofAfterPrompt && !options.interactive) this.#channel.closeInput();
    this.#armQuiet();
  }

  steer(input: TurnInput): void {
    const { codec } = this.#setup;
    if (!codec.steer) throw unsupportedVerbError(this.#setup, 'steer', 'cannot be steered within a turn');
    this.#channel.send(codec.steer(input, this.#state));
  }

  interrupt(): void {
    const { codec } = this.#setup;
    if (!codec.interrupt) throw unsupportedVerbError(this.#setup, 'interrupt', 'cannot be interrupted');
    this.#channel.send(codec.interrupt(this.#state));
  }

  resolve(request: PendingRequest, answer: RequestAnswer): void {
    this.#channel.send(this.#setup.codec.resolve(request, answer, this.#state));
    this.#armQuiet();
  }

  setModel(model: string): void {
    const { codec } = this.#setup;
    if (!codec.setModel) throw unsupportedVerbError(this.#setup, 'setModel', 'cannot change its model while it runs');
    this.#channel.send(codec.setModel(model, this.#state));
  }

  setApprovalMode(mode: ApprovalMode): void {
    const { codec } = this.#setup;
    if (!codec.setApprovalMode)
      throw unsupportedVerbError(this.#setup, 'setApprovalMode', 'cannot change its permissions while it runs');
    this.#channel.send(codec.setApprovalMode(mode, this.#state));
  }

  /** While reading is paused, silence means nothing. */
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
    const { spec } = this.#setup;
    // A server or shared process outlives this run: it must learn that its session is over, or it works on in vain.
    if (spec.transport === 'http' || spec.share) this.#sayGoodbye();
    else if (spec.isBridge) await this.#stopWork();
    await this.#channel.kill();
  }

  /** Gives the work behind a bridge time to report that it has stopped. */
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
      // The request failed: the process is ended anyway.
    } finally {
      clearTimeout(timer);
    }
  }

  /** Sends the closing messages. An error in them does not keep the agent from ending. */
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
    if (!this.#setup.spec.waitForSession) this.#handshakeOver();
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
    this.#emit(decoded, raw, weight);
  }

  #emit({ events, replies = [] }: Decoded<Out>, raw: string | undefined, weight: number): void {
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
    // A listener for the session may have ended the run.
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

  #receiveStderr(lines: string[], bytes: number): void {
    if (this.#handshakeTimer) this.#stderrText = `${this.#stderrText}${lines.join('\n')}\n`.slice(-STDERR_CHARS);
    this.#stderr.decode(lines, 'stderr', bytes);
  }

  #watchHandshake(): void {
    const { adapter, asking, handshakeMs, options, sink } = this.#setup;
    const limitMs = handshakeLimit(handshakeMs, options.invocation);
    this.#handshakeTimer = setTimeout(() => {
      // A request waits for a person, or reading is paused: the agent is not late.
      if (asking() || this.#paused) return this.#watchHandshake();
      this.#stderr.flush();
      const failure = handshakeFailure(adapter.displayName, this.#step, limitMs, this.#stderrText);
      sink.events([failure, { type: 'turn_end', status: 'failed' }], undefined, 0);
      void this.#channel.kill();
    }, limitMs);
  }

  #handshakeOver(): void {
    clearTimeout(this.#handshakeTimer);
    this.#handshakeTimer = undefined;
    this.#stderrText = '';
  }

  #stopTimers(): void {
    clearTimeout(this.#quietTimer);
    this.#handshakeOver();
  }

  /** For agents that never report the end of a turn: their codec interprets silence. */
  #armQuiet(): void {
    const { asking } = this.#setup;
    clearTimeout(this.#quietTimer);
    const afterMs = this.#paused ? undefined : this.#quietMs();
    if (afterMs === undefined) return;
    this.#quietTimer = setTimeout(() => {
      // While a person is asked, the agent is not idle.
      if (asking()) this.#armQuiet();
      else this.#emitBuffered(false);
    }, afterMs);
  }

  /** Stops calling `idleMs` after it threw once; silence has no meaning then. */
  #quietMs(): number | undefined {
    const { codec, sink } = this.#setup;
    if (this.#idleMsFailed) return undefined;
    try {
      return codec.idleMs?.(this.#state);
    } catch (error) {
      this.#idleMsFailed = true;
      sink.events([{ type: 'error', ...asRunError(error), recoverable: true }], undefined, 0);
      return undefined;
    }
  }

  #emitBuffered(over = true): void {
    const decoded = this.#setup.codec.onIdle?.(this.#state, over);
    if (decoded) this.#emit(decoded, undefined, 0);
  }

  #handleEnd(end: AgentEnd): void {
    this.#stopTimers();
    this.#onTurnEnd();
    const { adapter, sink } = this.#setup;
    this.#emitBuffered();
    this.#stderr.flush();
    sink.ended({ ...end, adapterEvents: adapterMessage(adapter, end.exit) });
  }
}

function lateOutput(text: string, runId: string): EventBody {
  const message = `output printed after run ${runId} had ended; it does not belong to this run`;
  return { type: 'debug', level: 'warn', code: 'late_output', message, data: { runId, text } };
}
