import type { EventBody } from '../contract/events.ts';
import type { PluginLogger, PluginLogLevel } from '../contract/plugin-context.ts';
import { toJson } from '../values.ts';

const MAX_LOG_TEXT = 4000;
/** Maximum number of messages queued for the next run; older ones are dropped. */
const MAX_PENDING_LOGS = 100;
/** Maximum number of messages per run. */
export const MAX_LOGS_PER_RUN = 500;

interface LogMessage {
  level: PluginLogLevel;
  message: string;
}

interface LogListener {
  /** Whether to emit `debug` messages. */
  debug: boolean;
  emit(body: EventBody): void;
}

/** Messages of one adapter: sent to every open run of the agent, or queued for the next one. Logging never throws. */
export class PluginLog {
  readonly #emitters = new Set<(message: LogMessage) => void>();
  #pending: LogMessage[] = [];

  readonly logger: PluginLogger = {
    debug: (message, data) => this.#add('debug', message, data),
    info: (message, data) => this.#add('info', message, data),
    warn: (message, data) => this.#add('warn', message, data),
    error: (message, data) => this.#add('error', message, data),
  };

  /** Delivers queued messages, then each new one, until the returned function is called. */
  listen(listener: LogListener): () => void {
    const emit = boundedEmitter(listener);
    for (const message of this.#pending.splice(0)) emit(message);
    this.#emitters.add(emit);
    return () => this.#emitters.delete(emit);
  }

  #add(level: PluginLogLevel, message: unknown, data: unknown): void {
    const entry = { level, message: textOf(message, data) };
    if (this.#emitters.size === 0) this.#pending = [...this.#pending, entry].slice(-MAX_PENDING_LOGS);
    for (const emit of this.#emitters) emit(entry);
  }
}

function boundedEmitter({ debug, emit }: LogListener): (message: LogMessage) => void {
  let count = 0;
  return ({ level, message }) => {
    if (level === 'debug' && !debug) return;
    count += 1;
    if (count > MAX_LOGS_PER_RUN + 1) return;
    const text = count > MAX_LOGS_PER_RUN ? 'further messages of the adapter are dropped' : message;
    const severity = level === 'warn' || level === 'error' ? 'warn' : 'info';
    emit({ type: 'debug', level: severity, code: 'adapter_log', message: text, data: { level } });
  };
}

/** Data is part of the message, so that its secrets are redacted too. */
function textOf(message: unknown, data: unknown): string {
  try {
    const extra = data === undefined ? '' : ` ${toJson(data) ?? String(data)}`;
    const text = `${String(message)}${extra}`;
    return text.length > MAX_LOG_TEXT ? `${text.slice(0, MAX_LOG_TEXT)}...` : text;
  } catch {
    return 'unreadable message';
  }
}
