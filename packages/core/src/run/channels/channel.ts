import type { EventBody } from '../../contract/events.ts';
import type { ProcessExit } from '../../process/process.ts';

/** How an agent has left a run, by itself or not. */
export interface AgentEnd {
  exit: ProcessExit;
  stderr: string;
  /** It had been kept from earlier runs, and was leaving when this one came to it. */
  stale?: boolean;
  /** What the adapter says of this end; see `wordsOfAdapter`. */
  words?: EventBody[];
}

/** A way to an agent: messages out, messages in, until it is closed. */
export interface Channel<Out> {
  send(messages: readonly Out[]): void;
  /** No more comes from us; an agent that reads to the end may now leave. */
  closeInput(): void;
  pause(): void;
  resume(): void;
  /** True: it closed by itself in time. */
  finish(graceMs: number): Promise<boolean>;
  kill(): Promise<void>;
}

export interface ChannelSink<In> {
  messages(messages: In[], bytes: number): void;
  stderr(lines: string[], bytes: number): void;
  lineCut(source: 'stdout' | 'stderr', totalBytes: number): void;
  alive(): void;
  /** What a process has said after its former run had ended: that run's, and nobody else's answer. */
  late(text: string, runId: string): void;
  closed(end: AgentEnd): void;
}
