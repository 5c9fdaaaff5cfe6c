/** What an adapter receives before its first use, once per client. */
export interface PluginContext {
  readonly agent: string;
  readonly logger: PluginLogger;
  readonly stateStore: PluginStateStore;
}

/**
 * Messages become `debug` events with the code `adapter_log`, in every open run of the agent; without one they wait for
 * the next run. `debug` messages are emitted only in runs with the option `debug`.
 */
export interface PluginLogger {
  debug(message: string, data?: unknown): void;
  info(message: string, data?: unknown): void;
  warn(message: string, data?: unknown): void;
  error(message: string, data?: unknown): void;
}

export type PluginLogLevel = keyof PluginLogger;

/** JSON values of one agent, kept between processes on this machine. Not for credentials. */
export interface PluginStateStore {
  /** Undefined where the key has no value. */
  get(key: string): Promise<unknown>;
  /** Replaces the value in one step; the last writer wins. Rejects with VALIDATION_ERROR beyond the limits. */
  set(key: string, value: unknown): Promise<void>;
  delete(key: string): Promise<void>;
}

/** Files of this machine for what an adapter has to set right before a start: it opens, reads and moves none by itself. */
export interface HostFiles {
  /** The names in a folder; none where it cannot be read. */
  list(folder: string): Promise<string[]>;
  /** Without its end. Rejects where there is no regular file; a line over a megabyte is cut. */
  firstLine(path: string): Promise<string>;
  /** Within one folder, in place of whatever has that name. */
  rename(path: string, name: string): Promise<void>;
}
