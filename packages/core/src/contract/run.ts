import type { AgentAdapter, AgentAdapterInfo, InstalledAgentInfo } from './adapter.ts';
import type { AgentCapabilities, ApprovalMode, InstallMethod } from './capabilities.ts';
import type { ErrorCode } from './errors.ts';
import type { AgentEvent, EventOf, EventType, ExitReason, TokenUsage } from './events.ts';
import type { AgentConfigs, AgentMcpServers } from './native-config.ts';
import type { ApprovalRequest, Attachment, InputRequest, QuestionAnswers, RetryPolicy, RunOptions } from './options.ts';
import type { AgentPlugins } from './plugins.ts';
import type { QuotaStatus } from './quota.ts';
import type { SessionCatalog } from './session-queries.ts';
import type { AgentSkills } from './skills.ts';
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
} from './upkeep.ts';

export interface RunError {
  code: ErrorCode;
  message: string;
  /** Epoch milliseconds at which a limit is lifted, where known. */
  resetsAt?: number;
}

export interface RunResult {
  runId: string;
  agent: string;
  mode: string;
  /** All text of the last turn; of more than 64 Mi characters the beginning. */
  text: string;
  /** So many characters are left out of `text`; the stream had them. Absent: none. */
  omittedTextChars?: number;
  sessionId: string | null;
  /** The model that really answered. */
  model: string | null;
  /** Of the whole run; null where the agent reports nothing. */
  usage: TokenUsage | null;
  costUsd: number | null;
  costSource: 'reported' | 'estimated' | null;
  /** By which the provider charged at last, where the agent tells it. */
  serviceTier: string | null;
  /** What the agent told of its limits in this run; null where it told nothing. */
  quota: QuotaStatus | null;
  durationMs: number;
  exitReason: ExitReason;
  exitCode: number | null;
  error: RunError | null;
  turnCount: number;
  /** The validated answer to `outputSchema`. */
  structured?: unknown;
  tags: readonly string[];
}

export interface SendOptions {
  attachments?: readonly Attachment[];
}

export type EventListener<T extends EventType = EventType> = (event: EventOf<T>) => void;

/**
 * What the caller of `run` holds. It is an async iterable of events and a thenable of the result.
 *
 * A run ends when a turn has ended and nobody sends another: a reader of the iterable that asks for the next event after
 * `turn_end` without having sent one has decided. So a loop may await a person between two turns.
 */
export interface RunHandle extends AsyncIterable<AgentEvent>, PromiseLike<RunResult> {
  readonly runId: string;
  readonly agent: string;
  /** The one that was named, by the call or by the agent's definition, or the agent's best. */
  readonly mode: string;
  /** The native session id, once known. */
  readonly sessionId: string | undefined;
  /** All text of the turn so far. */
  readonly text: string;
  readonly result: Promise<RunResult>;
  on<T extends EventType>(type: T, listener: EventListener<T>): this;
  on(type: '*', listener: (event: AgentEvent) => void): this;
  once<T extends EventType>(type: T, listener: EventListener<T>): this;
  off(type: EventType | '*', listener: (event: never) => void): this;
  /** The next turn; waits until the running one has ended. */
  send(prompt: string, options?: SendOptions): Promise<void>;
  /** Into the running turn. */
  steer(prompt: string): Promise<void>;
  /** Stops the turn, keeps the session. Resolves when the turn has ended. */
  interrupt(): Promise<void>;
  /** Ends the run and every process of it. Resolves when they are gone. Twice, or after the end: nothing more. */
  abort(reason?: string): Promise<RunResult>;
  /** No further turns: ends once the running and queued ones are done. */
  end(): Promise<RunResult>;
  approve(requestId: string, options?: { optionId?: string; updatedInput?: unknown }): void;
  deny(requestId: string, options?: { message?: string; optionId?: string }): void;
  answer(requestId: string, answers: QuestionAnswers | 'decline'): void;
  pending(): readonly (ApprovalRequest | InputRequest)[];
  setModel(model: string): Promise<void>;
  setApprovalMode(mode: ApprovalMode): Promise<void>;
}

/** A call and a value: no stream to read. */
export interface RunOnceRequest {
  agent?: string;
  prompt: string;
  system_prompt?: string | null;
  cwd?: string | null;
  trace_output_path?: string | null;
  signal?: AbortSignal;
  on_activity?: (event: AgentActivityEvent) => void;
  /** Any further run option. */
  options?: Partial<RunOptions>;
}

export interface RunOnceResult {
  content: string;
  cost_usd: number | null;
  duration_ms: number;
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

export interface HealthStatus {
  healthy: boolean;
  message: string;
  details: Record<string, unknown> | null;
}

export interface AdapterRegistry {
  list(): AgentAdapterInfo[];
  installed(): Promise<InstalledAgentInfo[]>;
  detect(agent: string): Promise<InstalledAgentInfo | null>;
  capabilities(agent: string, mode?: string): AgentCapabilities;
  installInstructions(agent: string, platform?: NodeJS.Platform): InstallMethod[];
  register(adapter: AgentAdapter): void;
  unregister(agent: string): void;
  /** Throws UNKNOWN_AGENT. */
  get(agent: string): AgentAdapter;
  has(agent: string): boolean;
}

export interface ClientOptions {
  /** Options for every run that does not set them. */
  defaults?: Partial<Omit<RunOptions, 'agent' | 'prompt'>>;
  retryPolicy?: Partial<RetryPolicy>;
  /** Run profiles by name; those of the configuration files come beneath. */
  profiles?: Record<string, Partial<RunOptions>>;
  debug?: boolean;
  /** So long, in milliseconds, may an agent take from its start to an open session; default a minute. Prompts have limits of their own. */
  handshakeTimeout?: number;
  /** The folder for `.agent-mux/`; default the run's cwd. `false`: no run index, and what agents tell of their limits is not kept either. */
  runIndex?: string | false;
  /**
   * A process or server that serves several runs is kept so many milliseconds after the last of them; default five minutes,
   * 0: it ends with it. `close()` ends it in any case, and so does the end of the host.
   */
  idleTimeout?: number;
  /** Ask for nothing else than these variables instead of `process.env`. */
  env?: NodeJS.ProcessEnv;
}

export interface AgentMuxClient {
  readonly adapters: AdapterRegistry;
  /** The stored sessions of every agent. */
  readonly sessions: SessionCatalog;
  /** The agents' own configuration files. */
  readonly config: AgentConfigs;
  /** The MCP servers that they name. */
  readonly mcp: AgentMcpServers;
  /** What is added to agents by their own means. */
  readonly plugins: AgentPlugins;
  /** What lies in the folders from which agents take skills and sub-agents. */
  readonly skills: AgentSkills;
  readonly auth: AuthApi;
  readonly models: ModelsApi;
  run(options: RunOptions): RunHandle;
  runOnce(request: RunOnceRequest): Promise<RunOnceResult>;
  health(agent: string): Promise<HealthStatus>;
  /** The last that an agent told of its limits, in a run of this or another process on this machine. Null: nothing yet. */
  quota(agent: string): Promise<QuotaStatus | null>;
  /** The agent that this process runs inside of, if any. */
  detectHost(): { agent: string; signal: string } | null;
  /** The commands that `install`, `update` or `uninstall` would run. */
  planInstall(agent: string, options?: InstallPlanOptions): Promise<InstallPlan>;
  install(agent: string, options?: InstallOptions): Promise<InstallOutcome>;
  update(agent: string, options?: InstallChangeOptions): Promise<InstallOutcome>;
  uninstall(agent: string, options?: InstallChangeOptions): Promise<InstallOutcome>;
  /** What is in order and what is not, of agent-mux and of the agents; each with its remedy. */
  doctor(options?: DoctorOptions): Promise<Finding[]>;
  /** Ends every child; no run can be started afterwards. */
  close(): Promise<void>;
  /** The same, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}
