/**
 * Every failure that agent-mux itself reports. The codes are stable: scripts and the CLI's exit codes depend on them.
 */
export const ERROR_CODES = [
  /**
   * An option, an answer or a value is invalid; `issues` lists each problem with its field. What to do: fix the fields
   * in `issues`; the same call fails again.
   */
  'VALIDATION_ERROR',
  /**
   * No agent has this name, or the project that defines it is not trusted. What to do: check `adapters.list()`; the
   * hint suggests similar names.
   */
  'UNKNOWN_AGENT',
  /**
   * The agent does not support the request in this mode. Nothing was started. What to do: remove the `option`, or use a
   * mode that the hint names.
   */
  'CAPABILITY_ERROR',
  /**
   * The agent's command is not installed on the machine where it should run. What to do: install it with
   * `client.install(agent)` or `amux install`.
   */
  'AGENT_NOT_INSTALLED',
  /**
   * The agent is not logged in, or its key was rejected. What to do: follow the steps of `client.auth.guidance(agent)`.
   */
  'AUTH_ERROR',
  /**
   * A rate or usage limit was reached; `resetsAt` is the reset time, if known. What to do: wait, or set
   * `retryPolicy.maxRetries`.
   */
  'RATE_LIMITED',
  /**
   * The conversation no longer fits into the model's context. What to do: start a new session, or send less at once.
   */
  'CONTEXT_EXCEEDED',
  /** The run exceeded `timeout`. What to do: raise the timeout or reduce the task; the session can be resumed. */
  'TIMEOUT',
  /**
   * The agent was silent for longer than `inactivityTimeout` or `afterToolTimeout`. What to do: raise the timeout if
   * long silence is expected; otherwise inspect the run with `tracePath`.
   */
  'INACTIVITY_TIMEOUT',
  /** The caller ended the run or the running command. What to do: nothing; the session can be resumed. */
  'ABORTED',
  /**
   * The agent's process exited in the middle of a turn. What to do: read `stderr` of the `crash` event; a retry may
   * succeed.
   */
  'AGENT_CRASH',
  /**
   * A process could not be started, or the folder for its helper files could not be created. What to do: check the
   * program or folder named in the message.
   */
  'SPAWN_ERROR',
  /**
   * Output of the agent, or a stored session, has a format the adapter does not recognize. What to do: most such lines
   * are skipped and the run continues; run `amux verify AGENT` to check the adapter against the installed version.
   */
  'PARSE_ERROR',
  /**
   * The agent violated its protocol, such as JSON-RPC. What to do: as for PARSE_ERROR; `tracePath` records every byte
   * for a bug report.
   */
  'PROTOCOL_ERROR',
  /** The model provider failed: 5xx, overloaded. What to do: try again later, or set `retryPolicy.maxRetries`. */
  'SERVER_ERROR',
  /**
   * A server or host cannot be reached, or the connection was lost. What to do: check the address and the network, then
   * retry.
   */
  'NETWORK_ERROR',
  /**
   * The session does not exist, or several sessions match the id prefix. What to do: find the id with
   * `client.sessions.list()`.
   */
  'SESSION_NOT_FOUND',
  /**
   * A daemon session was resumed, but the agent reported a different id, model or permission mode than before. What to
   * do: restore the session to accept the change, or set the model or mode first.
   */
  'SESSION_CHANGED',
  /** The agent reached `maxTurns` or its own limit. What to do: raise the limit, or resume the session. */
  'MAX_TURNS',
  /**
   * The answer does not match `outputSchema`. What to do: ask again or simplify the schema; `text` of the result has
   * the answer.
   */
  'OUTPUT_SCHEMA_ERROR',
  /** A configuration file cannot be read or written. What to do: see the file, line and column in the message. */
  'CONFIG_ERROR',
  /**
   * A file of agent-mux cannot be written: the disk is full, read-only or broken, or too many files are open. What to
   * do: fix the cause named in the message and hint; the same call may then succeed.
   */
  'STORAGE_ERROR',
  /**
   * The run or client is closed, or no turn is running to steer. What to do: start a new run with `sessionId`, or
   * create a new client.
   */
  'RUN_ENDED',
  /** The agent reported a failure that has no other code. What to do: read the message, which comes from the agent. */
  'AGENT_ERROR',
  /**
   * An adapter threw, or returned a value that violates the contract. What to do: report it to the author of the
   * adapter.
   */
  'ADAPTER_ERROR',
  /** A bug in agent-mux. What to do: report it with a trace (`tracePath`). */
  'INTERNAL_ERROR',
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

export interface ErrorDetails {
  /** Agent the error concerns. */
  agent?: string;
  /** What the user can do now; displayed after the message. */
  hint?: string;
  /** Whether the same call may succeed later without any change. */
  retryable?: boolean;
  cause?: unknown;
  /** Additional details that are safe to log. */
  data?: Record<string, unknown>;
}

/** Base class of all errors. `code` says what happened, `hint` what to do. */
export class AgentMuxError extends Error {
  /** What happened. */
  readonly code: ErrorCode;
  /** Agent the error concerns. */
  readonly agent: string | undefined;
  /** What to do now, as human-readable text. */
  readonly hint: string | undefined;
  /** Whether the same call may succeed later without any change. */
  readonly retryable: boolean;
  /** Additional details that are safe to log. */
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

  /** Serializes the error for logs. */
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

/** One invalid field of a rejected value. */
export interface ValidationIssue {
  field: string;
  problem: string;
}

/** Lists all issues at once, so that they can be fixed in one pass. */
export class ValidationError extends AgentMuxError {
  /** All issues, each with its field. */
  readonly issues: readonly ValidationIssue[];

  constructor(subject: string, issues: readonly ValidationIssue[], details: ErrorDetails = {}) {
    const list = issues.map((f) => (f.field ? `${f.field}: ${f.problem}` : f.problem)).join('; ');
    super('VALIDATION_ERROR', `${subject}: ${list}`, details);
    this.issues = issues;
  }
}

/** The agent does not support a requested option; thrown before anything is spawned. */
export class CapabilityError extends AgentMuxError {
  /** The rejected run option, or the method of the handle. */
  readonly option: string;

  constructor(agent: string, option: string, message: string, hint?: string) {
    super('CAPABILITY_ERROR', message, { agent, hint });
    this.option = option;
  }
}
