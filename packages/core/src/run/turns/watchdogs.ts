import type { TimeoutKind } from '../../contract/events.ts';

export interface WatchdogLimits {
  run: number;
  inactivity: number;
  after_tool: number;
}

/**
 * CLIs hang: in mid-stream, after a tool result, after their last event. Each kind of silence has its own limit.
 * Signs of life come with every chunk, so they only record the time; one timer checks periodically.
 */
export class Watchdogs {
  readonly #limits: WatchdogLimits;
  readonly #bark: (kind: TimeoutKind, limitMs: number) => void;
  #runTimer: NodeJS.Timeout | undefined;
  #launchTimer: NodeJS.Timeout | undefined;
  #silenceTimer: NodeJS.Timeout | undefined;
  #lastSign = 0;
  #inTurn = false;
  #asking = false;
  #afterTool = false;
  #toolsOpen = false;
  #paused = false;

  constructor(limits: WatchdogLimits, bark: (kind: TimeoutKind, limitMs: number) => void) {
    this.#limits = limits;
    this.#bark = bark;
  }

  start(): void {
    const { run } = this.#limits;
    if (run > 0) this.#runTimer = setTimeout(() => this.#bark('run', run), run);
  }

  /** Starts the time limit of one launch of the agent. */
  tighten(runMs: number | undefined, inactivityMs: number | undefined): void {
    clearTimeout(this.#launchTimer);
    if (runMs) this.#launchTimer = setTimeout(() => this.#bark('run', runMs), runMs);
    const { inactivity } = this.#limits;
    if (!inactivityMs || (inactivity > 0 && inactivity <= inactivityMs)) return;
    this.#limits.inactivity = inactivityMs;
    this.#watch();
  }

  /** The launched process has exited, and its limit no longer applies. */
  forgetLaunch(): void {
    clearTimeout(this.#launchTimer);
  }

  stop(): void {
    clearTimeout(this.#runTimer);
    clearTimeout(this.#launchTimer);
    clearTimeout(this.#silenceTimer);
    this.#inTurn = false;
  }

  noteSign(): void {
    this.#lastSign = performance.now();
  }

  watchTurn(running: boolean): void {
    this.#inTurn = running;
    this.#afterTool = false;
    this.#toolsOpen = false;
    this.noteSign();
    this.#watch();
  }

  /** Between turns, while the agent has background work: silence counts as in a turn. */
  watchBackground(): void {
    if (!this.#inTurn) this.watchTurn(true);
  }

  /** After a tool result (`after`), or while tools run: then only the general limit applies. */
  noteTools(state: 'running' | 'after' | 'none'): void {
    const afterTool = state === 'after';
    if (this.#afterTool === afterTool && this.#toolsOpen === (state === 'running')) return;
    this.#afterTool = afterTool;
    this.#toolsOpen = state === 'running';
    this.#watch();
  }

  /** While a person is asked, silence does not count. */
  noteAsking(asking: boolean): void {
    this.#asking = asking;
    this.noteSign();
    this.#watch();
  }

  /** While a reader stalls the agent, silence does not count. */
  notePause(paused: boolean): void {
    this.#paused = paused;
    this.noteSign();
    this.#watch();
  }

  #watch(): void {
    clearTimeout(this.#silenceTimer);
    const limit = this.#limit();
    if (!limit) return;
    const left = limit.ms - (performance.now() - this.#lastSign);
    if (left <= 0) {
      this.#bark(limit.kind, limit.ms);
      return;
    }
    this.#silenceTimer = setTimeout(() => this.#watch(), left);
  }

  #limit(): { kind: TimeoutKind; ms: number } | undefined {
    if (!this.#inTurn || this.#asking || this.#paused) return undefined;
    const { inactivity, after_tool } = this.#limits;
    const afterTool = this.#afterTool && after_tool > 0 && (inactivity === 0 || after_tool < inactivity);
    if (afterTool) return { kind: 'after_tool', ms: after_tool };
    return inactivity > 0 ? { kind: 'inactivity', ms: inactivity } : undefined;
  }
}
