import type { AgentAdapter, AgentAdapterInfo, InstalledAgentInfo } from './adapter.ts';
import type { AgentCapabilities, ApprovalMode, InstallMethod } from './capabilities.ts';
import type { ErrorCode } from './errors.ts';
import type { AgentEvent, EventOf, EventType, ExitReason, TokenUsage } from './events.ts';
import type { AgentHooks } from './hooks.ts';
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

/** Why a run did not end well. */
export interface RunError {
  /** One of the error codes. */
  code: ErrorCode;
  /** In words, with the agent's own where it said some. */
  message: string;
  /** Epoch milliseconds at which a limit is lifted, where known. */
  resetsAt?: number;
}

/** What came of a run. It is there for every run that had an event, also for one that failed. */
export interface RunResult {
  /** Also on every event. */
  runId: string;
  /** Who was asked. */
  agent: string;
  /** How it was driven. */
  mode: string;
  /** All text of the last turn; of more than 64 Mi characters the beginning. */
  text: string;
  /** So many characters are left out of `text`; the stream had them. Absent: none. */
  omittedTextChars?: number;
  /** What `RunOptions.sessionId` takes to go on with it; null where the agent told none. */
  sessionId: string | null;
  /** The model that really answered. */
  model: string | null;
  /** Of the whole run; null where the agent reports nothing. */
  usage: TokenUsage | null;
  /** US dollars; null where neither the agent nor a price tells. */
  costUsd: number | null;
  /** `estimated`: from tokens and list prices. */
  costSource: 'reported' | 'estimated' | null;
  /** By which the provider charged at last, where the agent tells it. */
  serviceTier: string | null;
  /** What the agent told of its limits in this run; null where it told nothing. */
  quota: QuotaStatus | null;
  /** From the call to the end. */
  durationMs: number;
  /** How it ended, in a word. */
  exitReason: ExitReason;
  /** Of the last process; null where there was none or a signal ended it. */
  exitCode: number | null;
  /** Null where `exitReason` is `completed` or `interrupted`. */
  error: RunError | null;
  /** How many turns there were. */
  turnCount: number;
  /** The validated answer to `outputSchema`. */
  structured?: unknown;
  /** Those of the options. */
  tags: readonly string[];
}

export interface SendOptions {
  /** Pictures and files that go with this turn. */
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
  /** Of the options, or made up. */
  readonly runId: string;
  /** Who was asked. */
  readonly agent: string;
  /** The one that was named, by the call or by the agent's definition, or the agent's best. */
  readonly mode: string;
  /** The native session id, once known. */
  readonly sessionId: string | undefined;
  /** All text of the turn so far. */
  readonly text: string;
  /**
   * The same as awaiting the handle. Resolves also when the run fails; rejects only where nothing was ever told: the agent is not
   * installed, or cannot be started.
   */
  readonly result: Promise<RunResult>;
  /**
   * The same events in the same order, in arrays that are never empty: what has come since the last one. For whoever passes them on;
   * a promise for each event would cost more than the event. What holds for a reader of events holds for one of batches.
   */
  batches(): AsyncIterable<AgentEvent[]>;
  /** Told of each event of a type, or of all (`*`), from now on. Never stalls the agent. What a listener throws is an uncaught exception; the run goes on. */
  on<T extends EventType>(type: T, listener: EventListener<T>): this;
  on(type: '*', listener: (event: AgentEvent) => void): this;
  /** The same for the next one alone. */
  once<T extends EventType>(type: T, listener: EventListener<T>): this;
  /** Takes a listener back. */
  off(type: EventType | '*', listener: (event: never) => void): this;
  /**
   * The next turn; waits until the running one has ended. Rejects with CAPABILITY_ERROR where the mode takes one turn only, with
   * VALIDATION_ERROR for an attachment that cannot be read, with RUN_ENDED after the end.
   */
  send(prompt: string, options?: SendOptions): Promise<void>;
  /** Into the running turn. Rejects with CAPABILITY_ERROR where the mode cannot, with RUN_ENDED where no turn runs. */
  steer(prompt: string): Promise<void>;
  /**
   * Stops the turn, keeps the session. Resolves when the turn has ended. Rejects with CAPABILITY_ERROR where the mode cannot (then
   * `abort`), with RUN_ENDED after the end.
   */
  interrupt(): Promise<void>;
  /** Ends the run and every process of it. Resolves when they are gone. Twice, or after the end: nothing more. Settles as `result` does. */
  abort(reason?: string): Promise<RunResult>;
  /** No further turns: ends once the running and queued ones are done. Settles as `result` does. */
  end(): Promise<RunResult>;
  /** Allows what an `approval_request` asks for. Throws VALIDATION_ERROR where it is not open, or the option was not offered. */
  approve(requestId: string, options?: { optionId?: string; updatedInput?: unknown }): void;
  /** Refuses it; the agent is told the message where its protocol has a place for it. Throws as `approve` does. */
  deny(requestId: string, options?: { message?: string; optionId?: string }): void;
  /** Answers an `input_required`. Throws VALIDATION_ERROR where it is not open, or the answer was not offered. */
  answer(requestId: string, answers: QuestionAnswers | 'decline'): void;
  /** What the agent has asked and nobody has answered yet. */
  pending(): readonly (ApprovalRequest | InputRequest)[];
  /** For what is asked of a model from now on. Rejects with CAPABILITY_ERROR where the mode cannot, with RUN_ENDED after the end. */
  setModel(model: string): Promise<void>;
  /** From now on. Rejects as `setModel` does, and for a mode that the agent does not know. */
  setApprovalMode(mode: ApprovalMode): Promise<void>;
}

/** A call and a value: no stream to read. */
export interface RunOnceRequest {
  /** Here or in `options`. */
  agent?: string;
  /** What is asked. */
  prompt: string;
  /** As `RunOptions.systemPrompt`. */
  system_prompt?: string | null;
  /** As `RunOptions.cwd`. */
  cwd?: string | null;
  /** As `RunOptions.tracePath`. */
  trace_output_path?: string | null;
  /** Aborts it. */
  signal?: AbortSignal;
  /** Told what the agent does meanwhile, in five kinds. */
  on_activity?: (event: AgentActivityEvent) => void;
  /** Any further run option. */
  options?: Partial<RunOptions>;
}

/** What `runOnce` resolves to. */
export interface RunOnceResult {
  /** The whole answer. */
  content: string;
  /** US dollars; null where it is not known. */
  cost_usd: number | null;
  /** From the call to the end. */
  duration_ms: number;
  /** Null where the agent reports nothing. */
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

/** Whether an agent could be run now. */
export interface HealthStatus {
  /** Its command answers, or its server does. */
  healthy: boolean;
  /** In words. */
  message: string;
  /** What was found: path, version. */
  details: Record<string, unknown> | null;
}

/** The agents that are known. */
export interface AdapterRegistry {
  /** All of them, installed or not. */
  list(): AgentAdapterInfo[];
  /** What of them is on this machine; asks each for its version, a few at a time. */
  installed(): Promise<InstalledAgentInfo[]>;
  /** The same of one; null where there is no such agent. */
  detect(agent: string): Promise<InstalledAgentInfo | null>;
  /** Of a mode, by default the best. Throws UNKNOWN_AGENT, and CAPABILITY_ERROR for a mode that it does not have. */
  capabilities(agent: string, mode?: string): AgentCapabilities;
  /** The vendor's ways to install it, those of this platform. */
  installInstructions(agent: string, platform?: NodeJS.Platform): InstallMethod[];
  /** Takes the place of one of the same name. Throws VALIDATION_ERROR for one that breaks the contract. */
  register(adapter: AgentAdapter): void;
  /** Throws UNKNOWN_AGENT. Runs that have begun keep it. */
  unregister(agent: string): void;
  /** Throws UNKNOWN_AGENT. */
  get(agent: string): AgentAdapter;
  /** Whether `get` would return one. */
  has(agent: string): boolean;
}

/** What holds for all runs of a client. */
export interface ClientOptions {
  /** Options for every run that does not set them. */
  defaults?: Partial<Omit<RunOptions, 'agent' | 'prompt'>>;
  /** The same as `defaults.retryPolicy`. */
  retryPolicy?: Partial<RetryPolicy>;
  /** Run profiles by name; those of the configuration files come beneath. */
  profiles?: Record<string, Partial<RunOptions>>;
  /** The same as `defaults.debug`. */
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

/** What `createClient` returns. */
export interface AgentMuxClient {
  /** The agents that are known. */
  readonly adapters: AdapterRegistry;
  /** The stored sessions of every agent. */
  readonly sessions: SessionCatalog;
  /** The agents' own configuration files. */
  readonly config: AgentConfigs;
  /** The MCP servers that they name. */
  readonly mcp: AgentMcpServers;
  /** What is added to agents by their own means. */
  readonly plugins: AgentPlugins;
  /** The hooks by which a session that somebody else started reports; written into a workspace, and taken out again. */
  readonly hooks: AgentHooks;
  /** What lies in the folders from which agents take skills and sub-agents. */
  readonly skills: AgentSkills;
  /** Who is logged in where. */
  readonly auth: AuthApi;
  /** Which models there are, and what they cost. */
  readonly models: ModelsApi;
  /**
   * Starts a run; the process begins after this call returns. Throws VALIDATION_ERROR, UNKNOWN_AGENT and CAPABILITY_ERROR at once,
   * before anything is started, and RUN_ENDED after `close()`.
   */
  run(options: RunOptions): RunHandle;
  /** A prompt in, an answer out. Rejects where the run did not end with `completed`; `data.result` of the error has the result. */
  runOnce(request: RunOnceRequest): Promise<RunOnceResult>;
  /** Asks the machine now, whatever is remembered. Throws UNKNOWN_AGENT. */
  health(agent: string): Promise<HealthStatus>;
  /** The last that an agent told of its limits, in a run of this or another process on this machine. Null: nothing yet. */
  quota(agent: string): Promise<QuotaStatus | null>;
  /** The agent that this process runs inside of, if any. */
  detectHost(): { agent: string; signal: string } | null;
  /** The commands that `install`, `update` or `uninstall` would run. */
  planInstall(agent: string, options?: InstallPlanOptions): Promise<InstallPlan>;
  /** By the first of its vendor's ways whose program is here. What is believed is what is found afterwards. */
  install(agent: string, options?: InstallOptions): Promise<InstallOutcome>;
  /** By the way that it was installed. */
  update(agent: string, options?: InstallChangeOptions): Promise<InstallOutcome>;
  /** The same; settings and sessions stay. */
  uninstall(agent: string, options?: InstallChangeOptions): Promise<InstallOutcome>;
  /** What is in order and what is not, of agent-mux and of the agents; each with its remedy. */
  doctor(options?: DoctorOptions): Promise<Finding[]>;
  /** Ends every child; no run can be started afterwards. */
  close(): Promise<void>;
  /** The same, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}
