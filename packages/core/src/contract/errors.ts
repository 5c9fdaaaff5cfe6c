/** Every failure that agent-mux itself reports. The codes are stable: scripts and the CLI's exit codes are keyed by them. */
export const ERROR_CODES = [
  /** An option, an answer or a value is wrong. `faults` lists all of them, each with its field. What to do: mend what `faults` names; the same call fails again. */
  'VALIDATION_ERROR',
  /** No agent has this name, or the project that defines it is not trusted. What to do: look at `adapters.list()`; the hint names the near ones. */
  'UNKNOWN_AGENT',
  /** The agent, in this mode, cannot do what was asked. Nothing was started. What to do: leave the `option` out, or take a mode that the hint names. */
  'CAPABILITY_ERROR',
  /** The agent's command is not on this machine, or not in the place where it should run. What to do: install it: `client.install(agent)`, `amux install`. */
  'AGENT_NOT_INSTALLED',
  /** Nobody is logged in to the agent, or its key was refused. What to do: `client.auth.guidance(agent)` has the steps. */
  'AUTH_ERROR',
  /** A rate or usage limit was hit; `resetsAt` says until when, where that was told. What to do: wait, or set `retryPolicy.maxRetries`. */
  'RATE_LIMITED',
  /** The conversation no longer fits into the model's context. What to do: start a new session, or ask for less at once. */
  'CONTEXT_EXCEEDED',
  /** The run took longer than `timeout`. What to do: give it more time, or less to do; the session can be resumed. */
  'TIMEOUT',
  /** The agent was silent for longer than `inactivityTimeout` or `afterToolTimeout`. What to do: raise the limit where long silence is right; else see what it waits for with `tracePath`. */
  'INACTIVITY_TIMEOUT',
  /** The caller ended the run, or the command that was under way. What to do: nothing; the session can be resumed. */
  'ABORTED',
  /** The agent's process ended in the middle of a turn. What to do: read `stderr` of the `crash` event; it may be tried again. */
  'AGENT_CRASH',
  /** A process could not be started, or the folder for its helper files not be made. What to do: the message names the program or folder. */
  'SPAWN_ERROR',
  /** Output of the agent, or a stored session, is not in the form that its adapter knows. What to do: most lines are passed over and the run goes on; `amux verify AGENT` says whether the adapter fits this version. */
  'PARSE_ERROR',
  /** The agent broke the protocol that it is driven by, such as JSON-RPC. What to do: as for PARSE_ERROR; `tracePath` keeps every byte for a report. */
  'PROTOCOL_ERROR',
  /** The model's provider failed: 5xx, overloaded. What to do: try again later, or set `retryPolicy.maxRetries`. */
  'SERVER_ERROR',
  /** A server, a host or a place cannot be reached, or the connection was lost. What to do: look at the address and the network; may pass by itself. */
  'NETWORK_ERROR',
  /** There is no such session, or several begin with that id. What to do: `client.sessions.list()` has those that can be read. */
  'SESSION_NOT_FOUND',
  /** A session of the daemon was to go on, and its agent came back with another id, model or permission mode than it had. What to do: restore it to go on with it as it is now, or set the model or the mode first. */
  'SESSION_CHANGED',
  /** The agent reached `maxTurns`, or a limit of its own. What to do: raise it, or go on with the session. */
  'MAX_TURNS',
  /** The answer does not fit `outputSchema`. What to do: ask again, or make the schema simpler; `text` of the result has what was said. */
  'OUTPUT_SCHEMA_ERROR',
  /** A configuration file cannot be read or written as it is. What to do: the message has file, line and column. */
  'CONFIG_ERROR',
  /** A file of agent-mux cannot be written: the disk is full, read-only or broken, or too many files are open. What to do: the message names the file and the reason, the hint what to change; the same call may succeed afterwards. */
  'STORAGE_ERROR',
  /** The run or the client is closed, or no turn is running that could be steered. What to do: start a new run with `sessionId`, or a new client. */
  'RUN_ENDED',
  /** The agent itself says that it failed, in none of the ways above. What to do: the message is the agent's own. */
  'AGENT_ERROR',
  /** An adapter threw, or returned what the contract does not know. What to do: report it to whoever wrote the adapter. */
  'ADAPTER_ERROR',
  /** A fault of agent-mux itself. What to do: report it, with a trace (`tracePath`). */
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
  /** What happened. */
  readonly code: ErrorCode;
  /** Which agent it is about. */
  readonly agent: string | undefined;
  /** What to do now, in words for a person. */
  readonly hint: string | undefined;
  /** Whether the same call may succeed later without any change. */
  readonly retryable: boolean;
  /** Anything else worth keeping, safe to log. */
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

  /** What a log may keep. */
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
  /** All of them, each with its field. */
  readonly faults: readonly Fault[];

  constructor(subject: string, faults: readonly Fault[], details: ErrorDetails = {}) {
    const list = faults.map((f) => (f.field ? `${f.field}: ${f.problem}` : f.problem)).join('; ');
    super('VALIDATION_ERROR', `${subject}: ${list}`, details);
    this.faults = faults;
  }
}

/** The agent cannot honour what was asked; thrown before anything is spawned. */
export class CapabilityError extends AgentMuxError {
  /** The run option, or the verb of the handle, that was refused. */
  readonly option: string;

  constructor(agent: string, option: string, message: string, hint?: string) {
    super('CAPABILITY_ERROR', message, { agent, hint });
    this.option = option;
  }
}
