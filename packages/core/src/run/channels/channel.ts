import type { DriverEnd } from '../drivers/driver.ts';

/** A way to an agent: messages out, messages in, until it is closed. */
export interface Channel<Out> {
  send(messages: readonly Out[]): void;
  /** No more comes from us; an agent that reads to the end may now leave. */
  closeInput(): void;
  pause(): void;
  resume(): void;
  /** As a terminal's Ctrl-C, where there is a process of our own. */
  interrupt(): void;
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
  closed(end: DriverEnd): void;
}
