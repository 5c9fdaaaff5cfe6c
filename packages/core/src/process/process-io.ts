export type Source = 'stdout' | 'stderr';

export interface ProcessExit {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** It never started. */
  spawnError?: Error;
  /** It may still be there, but cannot be reached any more: why. */
  lost?: string;
}

/** A running process, whatever it is read and fed through: pipes or a terminal. It leads a group of its own. */
export interface ProcessIo {
  /** Undefined: it never started. */
  readonly pid: number | undefined;
  /** What can be read from it. */
  readonly sources: readonly Source[];
  readonly paused: boolean;
  write(data: string): void;
  closeInput(): void;
  pause(): void;
  resume(): void;
  /** False: this process may end while that one still runs. */
  keepHost(wanted: boolean): void;
  /** To the whole group, as a person's Ctrl-C. */
  interrupt(): void;
  /** Only for a process in another place: it is ended there, whatever it does. */
  release?(): void;
  /** What is still unread is given up, and whoever holds the other end is left alone with it. */
  drop(): void;
}

/** Nothing of it is called before the opening function has returned. */
export interface IoSink {
  data(source: Source, chunk: Buffer): void;
  /** Nothing more will come from this source. */
  ended(source: Source): void;
  /** The process has exited, and others hold its streams open. Only where that is known before the exit code. */
  left(): void;
  exited(exit: ProcessExit): void;
}
