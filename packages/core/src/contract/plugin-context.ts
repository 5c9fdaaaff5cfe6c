/** Passed to an adapter before its first use, once per client. */
export interface PluginContext {
  readonly agent: string;
  readonly logger: PluginLogger;
  readonly stateStore: PluginStateStore;
}

/**
 * Messages become `debug` events with the code `adapter_log` in every open run of the agent; otherwise they are queued
 * for the next run. `debug` messages are emitted only in runs with the option `debug`.
 */
export interface PluginLogger {
  debug(message: string, data?: unknown): void;
  info(message: string, data?: unknown): void;
  warn(message: string, data?: unknown): void;
  error(message: string, data?: unknown): void;
}

export type PluginLogLevel = keyof PluginLogger;

/** JSON values of one agent, persisted between processes on this machine. Not for credentials. */
export interface PluginStateStore {
  /** Undefined if the key has no value. */
  get(key: string): Promise<unknown>;
  /** Replaces the value atomically; the last writer wins. Rejects with VALIDATION_ERROR above the limits. */
  set(key: string, value: unknown): Promise<void>;
  delete(key: string): Promise<void>;
}

/** File access for adapters that must fix files before a start; adapters do no file I/O themselves. */
export interface HostFiles {
  /** Names in a folder; empty if it cannot be read. */
  list(folder: string): Promise<string[]>;
  /** First line without its line break. Rejects if the path is not a regular file; a line over a megabyte is cut. */
  firstLine(path: string): Promise<string>;
  /** Renames within one folder and replaces an existing file of that name. */
  rename(path: string, name: string): Promise<void>;
}
