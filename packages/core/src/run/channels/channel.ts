import type { EventBody } from '../../contract/events.ts';
import type { ProcessExit } from '../../process/process.ts';

/** How an agent left a run, voluntarily or not. */
export interface AgentEnd {
  exit: ProcessExit;
  stderr: string;
  /** The process was pooled from earlier runs and already exiting when this run joined it. */
  stale?: boolean;
  /** The adapter's events for this end; see `adapterMessage`. */
  adapterEvents?: EventBody[];
}

/** A connection to an agent: messages out, messages in, until it is closed. */
export interface Channel<Out> {
  send(messages: readonly Out[]): void;
  /** Signals the end of our input; an agent that reads to the end may now exit. */
  closeInput(): void;
  pause(): void;
  resume(): void;
  /** Resolves to true if the agent exited on its own in time. */
  finish(graceMs: number): Promise<boolean>;
  kill(): Promise<void>;
}

export interface ChannelSink<In> {
  messages(messages: In[], bytes: number): void;
  stderr(lines: string[], bytes: number): void;
  lineCut(source: 'stdout' | 'stderr', totalBytes: number): void;
  alive(): void;
  /** Output that the process printed after its previous run had ended; it belongs to that run. */
  late(text: string, runId: string): void;
  closed(end: AgentEnd): void;
}
