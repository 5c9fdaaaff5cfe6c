import type { AgentAdapter, AgentAdapterInfo, InstalledAgentInfo } from './adapter.ts';
import type { AgentCapabilities, ApprovalMode, InstallMethod } from './capabilities.ts';
import type { ErrorCode } from './errors.ts';
import type { AgentEvent, EventOf, EventType, ExitReason, TokenUsage } from './events.ts';
import type { AgentHooks } from './hooks.ts';
import type {
  AuthApi,
  DoctorOptions,
  Finding,
  InstallChangeOptions,
  InstallOptions,
  InstallOutcome,
  InstallPlan,
  InstallPlanOptions,
  ModelsApi,
} from './management.ts';
import type { AgentConfigs, AgentMcpServers } from './native-config.ts';
import type { ApprovalRequest, Attachment, InputRequest, QuestionAnswers, RetryPolicy, RunOptions } from './options.ts';
import type { AgentPlugins } from './plugins.ts';
import type { ApprovalPolicy } from './policy.ts';
import type { QuotaStatus } from './quota.ts';
import type { SessionCatalog } from './session-queries.ts';
import type { AgentSkills } from './skills.ts';

/** Why a run failed. */
export interface RunError {
  /** One of the error codes. */
  code: ErrorCode;
  /** Human-readable, including the agent's own message if it sent one. */
  message: string;
  /** Epoch milliseconds at which the limit resets, if known. */
  resetsAt?: number;
}

/** The result of a run. Exists for every run that emitted an event, even if it failed. */
export interface RunResult {
  /** Also on every event. */
  runId: string;
  /** Agent of the run. */
  agent: string;
  /** Mode of the agent. */
  mode: string;
  /** All text of the last turn, up to 64 Mi characters. */
  text: string;
  /** Number of characters cut from `text`; the stream had them. Absent: none. */
  omittedTextChars?: number;
  /** The agent's session id, to resume with `RunOptions.sessionId`; null if the agent reported none. */
  sessionId: string | null;
  /** The model that actually answered. */
  model: string | null;
  /** Usage of the whole run; null if the agent reports none. */
  usage: TokenUsage | null;
  /** US dollars; null if neither reported nor estimable. */
  costUsd: number | null;
  /** `estimated`: from tokens and list prices. */
  costSource: 'reported' | 'estimated' | null;
  /** The provider's last pricing tier, if the agent reports it. */
  serviceTier: string | null;
  /** Limits the agent reported in this run; null if none. */
  quota: QuotaStatus | null;
  /** From the call to the end. */
  durationMs: number;
  /** How the run ended. */
  exitReason: ExitReason;
  /** Exit code of the last process; null without a process or if a signal ended it. */
  exitCode: number | null;
  /** Null if `exitReason` is `completed` or `interrupted`. */
  error: RunError | null;
  /** Number of turns. */
  turnCount: number;
  /** The validated answer to `outputSchema`. */
  structured?: unknown;
  /** Tags from the options. */
  tags: readonly string[];
}

export interface SendOptions {
  /** Images and files sent with this turn. */
  attachments?: readonly Attachment[];
}

export type EventListener<T extends EventType = EventType> = (event: EventOf<T>) => void;

/**
 * Handle of a run: an async iterable of events and a thenable of the result.
 *
 * A run ends when a turn has ended and no other was sent: reading the next event after `turn_end` without sending a
 * turn ends the run. A loop may therefore await a person between two turns.
 */
export interface RunHandle extends AsyncIterable<AgentEvent>, PromiseLike<RunResult> {
  /** From the options, or generated. */
  readonly runId: string;
  /** Agent of the run. */
  readonly agent: string;
  /** The mode set by the call or the agent definition, or the agent's default. */
  readonly mode: string;
  /** The agent's session id, once known. */
  readonly sessionId: string | undefined;
  /** All text of the current turn so far. */
  readonly text: string;
  /**
   * Same as awaiting the handle. Resolves even if the run fails; rejects only if no event was ever emitted: the agent
   * is not installed or cannot be started.
   */
  readonly result: Promise<RunResult>;
  /**
   * The same events in the same order, in non-empty arrays of what has arrived since the last one. For forwarding: a
   * promise per event would cost more than the event. Reading batches has the same effects as reading events.
   */
  batches(): AsyncIterable<AgentEvent[]>;
  /**
   * Calls the listener for each later event of a type, or of all types (`*`). Never blocks the agent. An error thrown
   * by a listener is an uncaught exception; the run continues.
   */
  on<T extends EventType>(type: T, listener: EventListener<T>): this;
  on(type: '*', listener: (event: AgentEvent) => void): this;
  /** Calls the listener for the next such event only. */
  once<T extends EventType>(type: T, listener: EventListener<T>): this;
  /** Removes a listener. */
  off(type: EventType | '*', listener: (event: never) => void): this;
  /**
   * Sends the next turn and waits until the running one has ended. Rejects with CAPABILITY_ERROR if the mode supports a
   * single turn only, with VALIDATION_ERROR for an unreadable attachment, with RUN_ENDED after the end.
   */
  send(prompt: string, options?: SendOptions): Promise<void>;
  /**
   * Adds a prompt to the running turn. Rejects with CAPABILITY_ERROR if unsupported, with RUN_ENDED if no turn is
   * running.
   */
  steer(prompt: string): Promise<void>;
  /**
   * Stops the turn and keeps the session. Resolves when the turn has ended. Rejects with CAPABILITY_ERROR if the mode
   * does not support it (use `abort`), with RUN_ENDED after the end.
   */
  interrupt(): Promise<void>;
  /** Ends the run and all its processes. Resolves when they have exited. Idempotent. Settles like `result`. */
  abort(reason?: string): Promise<RunResult>;
  /** Accepts no further turns and ends after the running and queued ones. Settles like `result`. */
  end(): Promise<RunResult>;
  /** Allows an `approval_request`. Throws VALIDATION_ERROR if it is not open, or if the option was not offered. */
  approve(requestId: string, options?: { optionId?: string; updatedInput?: unknown }): void;
  /**
   * Denies an `approval_request`; the agent receives the message if its protocol supports it. Throws like `approve`.
   */
  deny(requestId: string, options?: { message?: string; optionId?: string }): void;
  /** Answers an `input_required`. Throws VALIDATION_ERROR if it is not open, or if the answer was not offered. */
  answer(requestId: string, answers: QuestionAnswers | 'decline'): void;
  /** Open requests of the agent. */
  pending(): readonly (ApprovalRequest | InputRequest)[];
  /** Sets the model of later requests. Rejects with CAPABILITY_ERROR if unsupported, with RUN_ENDED after the end. */
  setModel(model: string): Promise<void>;
  /** Sets the approval mode from now on. Rejects like `setModel`, and for a mode the agent does not support. */
  setApprovalMode(mode: ApprovalMode): Promise<void>;
}

/** A request for a single answer, without a stream. */
export interface RunOnceRequest {
  /** Required here or in `options`. */
  agent?: string;
  /** The prompt. */
  prompt: string;
  /** See `RunOptions.systemPrompt`. */
  system_prompt?: string | null;
  /** See `RunOptions.cwd`. */
  cwd?: string | null;
  /** See `RunOptions.tracePath`. */
  trace_output_path?: string | null;
  /** Aborts the run. */
  signal?: AbortSignal;
  /** Called with the agent's activity while it runs, in five kinds. */
  on_activity?: (event: AgentActivityEvent) => void;
  /** Any other run options. */
  options?: Partial<RunOptions>;
}

/** What `runOnce` resolves to. */
export interface RunOnceResult {
  /** The whole answer. */
  content: string;
  /** US dollars; null if unknown. */
  cost_usd: number | null;
  /** From the call to the end. */
  duration_ms: number;
  /** Null if the agent reports none. */
  usage: {
    tokens: {
      input_tokens: number;
      output_tokens: number;
      cache_read_tokens: number;
      cache_creation_tokens: number;
      total_tokens: number;
    };
    model_id: string | null;
    service_tier: string | null;
  } | null;
}

export type AgentActivityEvent =
  | { kind: 'session'; model: string | null; tools: number | null; cwd: string | null }
  | { kind: 'assistant_text'; text: string }
  | { kind: 'thinking'; text: string }
  | { kind: 'tool_use'; tool_call_id: string; name: string; input: unknown }
  | { kind: 'tool_result'; tool_call_id: string; status: 'ok' | 'error'; output: unknown };

/** Whether an agent can be run now. */
export interface HealthStatus {
  /** Its command or server answers. */
  healthy: boolean;
  /** Human-readable. */
  message: string;
  /** What was found: path, version. */
  details: Record<string, unknown> | null;
}

/** The known agents. */
export interface AdapterRegistry {
  /** All known agents, installed or not. */
  list(): AgentAdapterInfo[];
  /** The installed ones; queries each for its version, a few at a time. */
  installed(): Promise<InstalledAgentInfo[]>;
  /** Detects one agent; null if it is unknown. */
  detect(agent: string): Promise<InstalledAgentInfo | null>;
  /** Capabilities of a mode, by default the first. Throws UNKNOWN_AGENT, and CAPABILITY_ERROR for an unknown mode. */
  capabilities(agent: string, mode?: string): AgentCapabilities;
  /** The official ways to install the agent on a platform. */
  installInstructions(agent: string, platform?: NodeJS.Platform): InstallMethod[];
  /** Replaces an adapter of the same name. Throws VALIDATION_ERROR if the adapter violates the contract. */
  register(adapter: AgentAdapter): void;
  /** Throws UNKNOWN_AGENT. Active runs keep the adapter. */
  unregister(agent: string): void;
  /** Throws UNKNOWN_AGENT. */
  get(agent: string): AgentAdapter;
  /** Whether `get` would return one. */
  has(agent: string): boolean;
}

/** Options of a client, for all its runs. */
export interface ClientOptions {
  /** Default options for every run. */
  defaults?: Partial<Omit<RunOptions, 'agent' | 'prompt'>>;
  /** Same as `defaults.retryPolicy`. */
  retryPolicy?: Partial<RetryPolicy>;
  /** Run profiles by name; they override those of the configuration files. */
  profiles?: Record<string, Partial<RunOptions>>;
  /** Same as `defaults.debug`. */
  debug?: boolean;
  /**
   * Milliseconds an agent may take from its start to an open session; default one minute. Prompts have separate
   * timeouts.
   */
  handshakeTimeout?: number;
  /** The folder for `.agent-mux/`; default the run's cwd. `false`: stores neither a run index nor reported limits. */
  runIndex?: string | false;
  /**
   * Milliseconds a shared process or server is kept after its last run; default five minutes, 0: it ends with that run.
   * `close()` and the exit of the host end it in any case.
   */
  idleTimeout?: number;
  /** Replaces `process.env`. */
  env?: NodeJS.ProcessEnv;
  /**
   * Decides approvals before `onApprovalRequest` and the user; `createConfiguredClient` provides the rules of the
   * configuration files.
   */
  policy?: ApprovalPolicy;
}

/** What `createClient` returns. */
export interface AgentMuxClient {
  /** The known agents. */
  readonly adapters: AdapterRegistry;
  /** Stored sessions of all agents. */
  readonly sessions: SessionCatalog;
  /** The agents' native configuration files. */
  readonly config: AgentConfigs;
  /** MCP servers in the agents' configuration files. */
  readonly mcp: AgentMcpServers;
  /** Plugins, managed by the agents' own CLIs. */
  readonly plugins: AgentPlugins;
  /** Hooks in workspaces, which report unmanaged sessions. */
  readonly hooks: AgentHooks;
  /** Skills and subagents in the agents' folders. */
  readonly skills: AgentSkills;
  /** Login status of the agents. */
  readonly auth: AuthApi;
  /** Available models and their prices. */
  readonly models: ModelsApi;
  /**
   * Starts a run; the process starts after this call returns. Throws VALIDATION_ERROR, UNKNOWN_AGENT and
   * CAPABILITY_ERROR synchronously, before anything is started, and RUN_ENDED after `close()`.
   */
  run(options: RunOptions): RunHandle;
  /**
   * Runs one prompt and returns the answer. Rejects unless the run ends with `completed`; `data.result` of the error
   * has the result.
   */
  runOnce(request: RunOnceRequest): Promise<RunOnceResult>;
  /** Checks the machine now and bypasses caches. Throws UNKNOWN_AGENT. */
  health(agent: string): Promise<HealthStatus>;
  /** The limits an agent last reported, in a run of any process on this machine. Null: none yet. */
  quota(agent: string): Promise<QuotaStatus | null>;
  /** The agent inside which this process runs, if any. */
  detectHost(): { agent: string; signal: string } | null;
  /** The commands that `install`, `update` or `uninstall` would run. */
  planInstall(agent: string, options?: InstallPlanOptions): Promise<InstallPlan>;
  /** Installs with the first official method whose program exists here, then verifies the result. */
  install(agent: string, options?: InstallOptions): Promise<InstallOutcome>;
  /** Updates with the method the agent was installed with. */
  update(agent: string, options?: InstallChangeOptions): Promise<InstallOutcome>;
  /** Uninstalls with the method the agent was installed with; settings and sessions are kept. */
  uninstall(agent: string, options?: InstallChangeOptions): Promise<InstallOutcome>;
  /** Checks agent-mux and the agents; each finding has a hint. */
  doctor(options?: DoctorOptions): Promise<Finding[]>;
  /** Ends every child process; no run can be started afterwards. */
  close(): Promise<void>;
  /** Same as `close()`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}
