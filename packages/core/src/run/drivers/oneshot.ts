import type { AgentAdapter, AgentMode } from '../../contract/adapter.ts';
import type { ApprovalMode } from '../../contract/capabilities.ts';
import type { RequestAnswer } from '../../contract/live.ts';
import type { PendingRequest, ResolvedRunOptions, TurnInput } from '../../contract/options.ts';
import { AgentProcess, type ProcessExit } from '../../process/process.ts';
import type { SpawnPlan } from '../../process/remote/link.ts';
import type { TraceWriter } from '../../process/trace.ts';
import { adapterMessage } from '../turns/failure.ts';
import { type DecodeProgress, LineDecoder, lineCut } from './decode.ts';
import type { Driver, DriverSink } from './driver.ts';
import { unsupportedVerbError } from './driver.ts';

/** Time a process has to exit after an interrupt. */
const INTERRUPT_GRACE_MS = 5000;

export interface OneshotSetup {
  adapter: AgentAdapter;
  mode: AgentMode;
  options: ResolvedRunOptions;
  plan: (options: ResolvedRunOptions) => SpawnPlan;
  /** The agent session id, as soon as it is known, for the turns after the first. */
  sessionId: () => string | undefined;
  turnIndex: () => number;
  progress: DecodeProgress;
  trace: TraceWriter | undefined;
  sink: DriverSink;
}

/** A process per turn: the prompt in, lines out until its streams close. Later turns resume the session by its id. */
export class OneshotDriver implements Driver {
  readonly turnEndsWithProcess = true;
  readonly handshaking = false;
  readonly #setup: OneshotSetup;
  #process: AgentProcess | undefined;
  #decoder: LineDecoder | undefined;
  #turns = 0;

  constructor(setup: OneshotSetup) {
    this.#setup = setup;
  }

  startTurn(input: TurnInput): void {
    const options = this.#optionsFor(input);
    const plan = this.#setup.plan(options);
    this.#turns += 1;
    const decoder = this.#openDecoder(options);
    const { sink } = this.#setup;
    const process = new AgentProcess(
      plan,
      options.runId,
      {
        lines: (source, lines, bytes) => {
          sink.alive();
          decoder.decode(lines, source, bytes);
        },
        lineCut: (source, total) => sink.events([lineCut(source, total)], undefined, 0),
        closed: (exit) => this.#handleExit(decoder, exit, process),
      },
      this.#setup.trace,
    );
    this.#process = process;
    if (plan.stdin !== undefined) process.write(plan.stdin);
    process.closeStdin();
  }

  steer(): void {
    throw unsupportedVerbError(this.#setup, 'steer', 'cannot be steered while it runs');
  }

  setModel(_model: string): void {
    throw unsupportedVerbError(this.#setup, 'setModel', 'cannot change its model while it runs');
  }

  setApprovalMode(_mode: ApprovalMode): void {
    throw unsupportedVerbError(this.#setup, 'setApprovalMode', 'cannot change its permissions while it runs');
  }

  resolve(_request: PendingRequest, _answer: RequestAnswer): void {
    // A one-shot process accepts no further input.
  }

  interrupt(): void {
    const process = this.#process;
    if (!process) return;
    process.interrupt();
    const timer = setTimeout(() => void process.terminate(), INTERRUPT_GRACE_MS);
    void process.done.then(() => clearTimeout(timer));
  }

  pause(): void {
    this.#process?.pause();
  }

  resume(): void {
    this.#process?.resume();
  }

  flush(): void {
    this.#decoder?.flush();
  }

  async finish(graceMs: number): Promise<boolean> {
    return this.#process?.finish(graceMs) ?? true;
  }

  async kill(): Promise<void> {
    await this.#process?.terminate();
  }

  #optionsFor(input: TurnInput): ResolvedRunOptions {
    const { options, sessionId } = this.#setup;
    if (this.#turns === 0) return options;
    const { forkSessionId: _fork, ...rest } = options;
    return { ...rest, sessionId: sessionId(), prompt: input.text, attachments: input.attachments };
  }

  #openDecoder(options: ResolvedRunOptions): LineDecoder {
    const { sessionId, forkSessionId } = this.#setup.options;
    this.#decoder = new LineDecoder(
      { ...this.#setup, options, sessionId: () => this.#setup.sessionId() ?? options.sessionId },
      sessionId !== undefined || forkSessionId !== undefined,
    );
    return this.#decoder;
  }

  #handleExit(decoder: LineDecoder, exit: ProcessExit, process: AgentProcess): void {
    const { adapter, sink } = this.#setup;
    if (exit.spawnError) decoder.flush();
    else decoder.end(exit);
    sink.ended({ exit, stderr: process.stderrTail, adapterEvents: adapterMessage(adapter, exit) });
  }
}
