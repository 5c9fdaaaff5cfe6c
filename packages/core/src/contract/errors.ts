/** Every failure that agent-mux itself reports. The codes are stable: scripts and the CLI's exit codes are keyed by them. */
export const ERROR_CODES = [
  'VALIDATION_ERROR',
  'UNKNOWN_AGENT',
  'CAPABILITY_ERROR',
  'AGENT_NOT_INSTALLED',
  'AUTH_ERROR',
  'RATE_LIMITED',
  'CONTEXT_EXCEEDED',
  'TIMEOUT',
  'INACTIVITY_TIMEOUT',
  'ABORTED',
  'AGENT_CRASH',
  'SPAWN_ERROR',
  'PARSE_ERROR',
  'PROTOCOL_ERROR',
  'SERVER_ERROR',
  'NETWORK_ERROR',
  'SESSION_NOT_FOUND',
  'MAX_TURNS',
  'OUTPUT_SCHEMA_ERROR',
  'CONFIG_ERROR',
  'RUN_ENDED',
  'AGENT_ERROR',
  'ADAPTER_ERROR',
  'INTERNAL_ERROR',
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

export interface ErrorDetails {
  /** Which agent it is about. */
  agent?: string;
  /** What the person can do now; shown after the message. */
  hint?: string;
  /** Whether the same call may succeed later without any change. */
  retryable?: boolean;
  cause?: unknown;
  /** Anything else worth keeping, safe to log. */
  data?: Record<string, unknown>;
}

/** The one error family. `code` says what happened, `hint` what to do. */
export class AgentMuxError extends Error {
  readonly code: ErrorCode;
  readonly agent: string | undefined;
  readonly hint: string | undefined;
  readonly retryable: boolean;
  readonly data: Record<string, unknown> | undefined;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = new.target.name;
    this.code = code;
    this.agent = details.agent;
    this.hint = details.hint;
    this.retryable = details.retryable ?? false;
    this.data = details.data;
  }

  toJSON(): { name: string; code: ErrorCode; message: string; agent?: string; hint?: string; retryable: boolean } {
    return {
      name: this.name,
      code: this.code,
      message: this.message,
      agent: this.agent,
      hint: this.hint,
      retryable: this.retryable,
    };
  }
}

/** One fault of a rejected value: which field, and what is wrong with it. */
export interface Fault {
  field: string;
  problem: string;
}

/** Lists every fault at once, so that nobody fixes them one run at a time. */
export class ValidationError extends AgentMuxError {
  readonly faults: readonly Fault[];

  constructor(subject: string, faults: readonly Fault[], details: ErrorDetails = {}) {
    const list = faults.map((f) => (f.field ? `${f.field}: ${f.problem}` : f.problem)).join('; ');
    super('VALIDATION_ERROR', `${subject}: ${list}`, details);
    this.faults = faults;
  }
}

/** The agent cannot honour what was asked; thrown before anything is spawned. */
export class CapabilityError extends AgentMuxError {
  readonly option: string;

  constructor(agent: string, option: string, message: string, hint?: string) {
    super('CAPABILITY_ERROR', message, { agent, hint });
    this.option = option;
  }
}
