export type Source = 'stdout' | 'stderr';

export interface ProcessExit {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** Set if the process never started. */
  spawnError?: Error;
  /** Set if the process may still run but is unreachable: the reason. */
  lost?: string;
}

/** A running process, connected by pipes or a terminal. It leads its own process group. */
export interface ProcessIo {
  /** Undefined if it never started. */
  readonly pid: number | undefined;
  /** Streams that can be read. */
  readonly sources: readonly Source[];
  readonly paused: boolean;
  write(data: string): void;
  closeInput(): void;
  pause(): void;
  resume(): void;
  /** False if this host may exit while the process runs. */
  keepHost(wanted: boolean): void;
  /** Sends Ctrl-C to the whole group. */
  interrupt(): void;
  /** Only for a remote process: ends it on the remote side, whatever it does. */
  release?(): void;
  /** Drops unread output and closes our ends of the streams. */
  drop(): void;
}

/** No callback runs before the opening function has returned. */
export interface IoSink {
  data(source: Source, chunk: Buffer): void;
  /** Nothing more comes from this source. */
  ended(source: Source): void;
  /** The process has exited while others hold its streams open. Only if that is known before the exit code. */
  left(): void;
  exited(exit: ProcessExit): void;
}
