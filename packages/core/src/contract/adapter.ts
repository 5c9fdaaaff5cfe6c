import type { StreamAssembler } from './assembler.ts';
import type { AgentConfig, AgentConfigSchema, AuthSetupGuidance, AuthState } from './auth-and-config.ts';
import type { AgentCapabilities, InstallMethod, ModelCapabilities } from './capabilities.ts';
import type { EventBody, TimeoutKind } from './events.ts';
import type { HookSpec } from './hooks.ts';
import type { Limitation } from './limitations.ts';
import type { LiveSpec } from './live.ts';
import type { ResolvedRunOptions, RetryPolicy } from './options.ts';
import type { HostFiles, PluginContext } from './plugin-context.ts';
import type {
  AgentQuery,
  ExtensionFolders,
  InstalledPlugin,
  PluginInstallOptions,
  PluginListing,
  PluginSearchOptions,
  PluginSpec,
} from './plugins.ts';
import type { QuotaQuery } from './quota.ts';
import type { Session, SessionStore } from './sessions.ts';
import type { TerminalSpec } from './terminal.ts';
import type { ToolKindTable } from './tool-kinds.ts';

export type AgentName = string;

export interface TerminalSize {
  cols: number;
  rows: number;
}

/** How to start the agent's process. */
export interface SpawnArgs {
  command: string;
  args: string[];
  /** Added to the allow-listed environment. */
  env: Record<string, string>;
  cwd: string;
  /**
   * Runs the process on a pseudo-terminal, for programs that require one. Output is a single stream of lines with
   * colors and redraws removed.
   */
  usePty: boolean;
  /** Size of the pseudo-terminal; default 120 by 40. */
  terminal?: TerminalSize;
  /**
   * Written to stdin, which is then closed. Without it stdin is closed for one-shot processes and open for live ones.
   */
  stdin?: string;
  timeout?: number;
  inactivityTimeout?: number;
  shell?: boolean;
  /** Helper files, written below `options.scratchDir` (mode 0600) before the spawn. Keys are paths relative to it. */
  files?: Record<string, string>;
  /** Symbolic links, created like `files`: paths relative to `scratchDir`, with absolute targets. On this host only. */
  links?: Record<string, string>;
}

/** Decoding state of one run. The engine holds it, so adapters are stateless. */
export interface ParseContext {
  runId: string;
  agent: AgentName;
  sessionId: string | undefined;
  turnIndex: number;
  debug: boolean;
  outputFormat: 'text' | 'json' | 'jsonl';
  source: 'stdout' | 'stderr';
  assembler: StreamAssembler;
  eventCount: number;
  lastEventType: string | null;
  /** The run resumed an existing session, so session totals include turns from earlier runs. */
  resumed?: boolean;
  /** Plain data owned by the adapter. Reset for every process. */
  adapterState: Record<string, unknown>;
  /** Epoch milliseconds of this line. */
  now: number;
  options: ResolvedRunOptions;
}

export interface InstalledAgentInfo {
  agent: AgentName;
  installed: boolean;
  cliPath: string | null;
  version: string | null;
  /** Why the version check failed, if the command exists but does not report a version. */
  problem?: string;
  meetsMinVersion: boolean;
  minVersion: string;
  authState: AuthState['status'];
  activeModel: string | null;
}

export interface AgentAdapterInfo {
  agent: AgentName;
  displayName: string;
  cliCommand: string;
  minVersion: string | undefined;
  source: 'built-in' | 'plugin';
  /** Human-readable source of the adapter, if it replaced a built-in one. */
  replacesBuiltIn?: string;
}

/** Metadata of an adapter that is available before it is loaded. */
export interface AdapterManifest {
  agent: AgentName;
  displayName: string;
  cliCommand: string;
  minVersion?: string;
  /** Mode names, the default first. */
  modes: readonly string[];
  hostEnvSignals?: readonly string[];
  /** Called when the agent is first used. */
  load(): AgentAdapter;
  /** The adapter was validated at build time and is not validated again when loaded. */
  isChecked?: boolean;
}

/** How a one-shot process can receive its prompt. `file`: a helper file named by an argument. */
export const ONESHOT_DELIVERIES = ['stdin', 'argv', 'file'] as const;

/** How the agent receives a prompt: `protocol` is a message of a live or ACP conversation, `http` a request. */
export type PromptDelivery = (typeof ONESHOT_DELIVERIES)[number] | 'protocol' | 'http';

export function promptDeliveryOf({ driver, promptDelivery }: AgentMode): PromptDelivery {
  if (driver === 'oneshot') return promptDelivery ?? 'stdin';
  return driver === 'http' ? 'http' : 'protocol';
}

/** A way of driving the agent. The first of `AgentAdapter.modes` is the default. */
export interface AgentMode {
  name: string;
  /** `oneshot`: a process per turn. `live`: one process, many turns. `acp`, `http`: the same over those protocols. */
  driver: 'oneshot' | 'live' | 'acp' | 'http';
  summary: string;
  capabilities: AgentCapabilities;
  /** Restrictions that the capabilities do not express. */
  limitations?: readonly Limitation[];
  /** Format of the process output; default `text`. Only a `text` decoder receives blank lines. */
  outputFormat?: ParseContext['outputFormat'];
  /** For `oneshot` only (other drivers determine it themselves); default `stdin`. */
  promptDelivery?: (typeof ONESHOT_DELIVERIES)[number];
  /** Required for every driver except `oneshot`. */
  live?: LiveSpec;
  /**
   * A one-shot process ends its turn with an event and may linger afterwards (a known bug of several CLIs), so the
   * engine does not wait for the exit. False: the turn ends with the process.
   */
  turnEndIsFinal?: boolean;
  /**
   * The agent is itself agent-mux: decoded values that are complete events pass through unchanged, including `seq`. The
   * engine adds events only if the other side could not report its own end. For `oneshot` only.
   */
  passthrough?: boolean;
}

/**
 * Everything agent-mux needs to know about one agent: data and pure codecs. No process I/O while running, no per-run
 * state. Created by `defineAdapter` from a spec, or as a class that extends `BaseAgentAdapter`.
 */
export interface AgentAdapter {
  readonly agent: AgentName;
  readonly displayName: string;
  readonly cliCommand: string;
  readonly minVersion?: string;
  /** Agent versions the adapter was verified with; any other version emits a `debug` warning. */
  readonly verifiedVersions?: readonly string[];
  /** Names of the public documents the adapter is based on, if the agent could not be run. Absent: it was run. */
  readonly documentedBy?: readonly string[];
  /** Capabilities of the default mode. */
  readonly capabilities: AgentCapabilities;
  readonly modes?: readonly AgentMode[];
  /** What the agent's tools do, by tool name; the engine adds the kind to every tool event. */
  readonly toolKinds?: ToolKindTable;
  readonly models: readonly ModelCapabilities[];
  readonly defaultModelId?: string;
  readonly configSchema: AgentConfigSchema;
  readonly installMethods?: readonly InstallMethod[];
  /**
   * Environment variables passed to the agent in addition to the basic ones: API keys, base URLs, home folders and
   * switches. `PREFIX_*` is allowed.
   */
  readonly envAllowList?: readonly string[];
  /** Environment variables that mark a process as running inside this agent; removed from every child process. */
  readonly hostEnvSignals?: readonly string[];
  /** The agent needs no executable on PATH (built-in or remote agents). */
  readonly needsNoInstall?: boolean;
  /** Arguments that print the version; default `--version`. */
  readonly versionArgs?: readonly string[];
  /** Reads stored sessions. Absent: `listSessionFiles` and `parseSessionFile` are used, if implemented. */
  readonly sessionStore?: SessionStore;
  /** Queries the agent for its models, if supported; the answer may depend on the login. */
  readonly modelQuery?: AgentQuery<ModelCapabilities[]>;
  /** Queries the provider for the usage limits of a login, if supported. */
  readonly quotaQuery?: QuotaQuery;
  readonly plugins?: PluginSpec;
  /** Hook support, if the agent has hooks. */
  readonly hooks?: HookSpec;
  /** How to start the agent's terminal UI. Absent: by its command without arguments. */
  readonly terminal?: TerminalSpec;
  readonly extensionFolders?: ExtensionFolders;

  /**
   * Called once per client, when the adapter is registered or first loaded, before any other method. Runs wait for its
   * promise; if it rejects, they reject with ADAPTER_ERROR.
   */
  initialize?(context: PluginContext): void | Promise<void>;
  /**
   * Fills in options that the run leaves unset and the agent definition sets, such as folder, model and tool lists.
   * Runs before the capability checks.
   */
  applyDefaults?(options: ResolvedRunOptions): ResolvedRunOptions;
  /**
   * Builds the command for the mode in `options.mode`. `env` is the part of this machine's environment that the process
   * will receive: empty on another host, and limited to what `envAllowList` and the user allow. Throws CapabilityError
   * or ValidationError.
   */
  buildSpawnArgs(options: ResolvedRunOptions, env?: Readonly<NodeJS.ProcessEnv>): SpawnArgs;
  /** Waits until the machine is ready for the process to start. Rarely needed: works around CLI bugs that lose data. */
  beforeSpawn?(options: ResolvedRunOptions, env: NodeJS.ProcessEnv, files: HostFiles): Promise<void>;
  /** Decodes one line of a one-shot process, or of any process's stderr. Never throws; null: not recognized. */
  parseEvent(line: string, context: ParseContext): EventBody | EventBody[] | null;
  /** Returns pending events after a one-shot process has closed its streams. */
  parseEnd?(context: ParseContext, exit: { code: number | null; signal: string | null }): EventBody[];

  /** Reads local state only and never throws. `env` replaces this process's environment. */
  detectAuth(env?: NodeJS.ProcessEnv): Promise<AuthState>;
  getAuthGuidance(): AuthSetupGuidance;

  sessionDir(cwd?: string): string;
  parseSessionFile(filePath: string): Promise<Session>;
  listSessionFiles(cwd?: string): Promise<string[]>;

  readConfig(cwd?: string, env?: NodeJS.ProcessEnv): Promise<AgentConfig>;
  writeConfig(config: Partial<AgentConfig>, cwd?: string): Promise<void>;

  /** Replaces `plugins` for an adapter that manages plugins without a CLI. */
  listPlugins?(): Promise<InstalledPlugin[]>;
  installPlugin?(pluginId: string, options?: PluginInstallOptions): Promise<InstalledPlugin>;
  uninstallPlugin?(pluginId: string): Promise<void>;
  searchPlugins?(query: string, options?: PluginSearchOptions): Promise<PluginListing[]>;

  /** The process could not be started. The returned event is emitted, followed by a `crash` unless it is one. */
  onSpawnError?(error: Error): EventBody;
  /** A timeout was reached, of the run or of inactivity. The returned event is emitted before the `timeout`. */
  onTimeout?(kind: TimeoutKind): EventBody;
  /**
   * Called once for every process that exited, for any reason. All returned events are emitted; a `crash` only
   * mid-turn.
   */
  onProcessExit?(exitCode: number | null, signal: string | null): EventBody[];
  /** Whether to retry a turn that has produced no output, within the limits of the policy. Default: `mayRetry`. */
  shouldRetry?(event: EventBody, attempt: number, policy: RetryPolicy): boolean;

  /** `env` is the environment of the host. */
  detectInstallation?(env?: NodeJS.ProcessEnv): Promise<DetectInstallationResult>;
  install?(options?: AdapterInstallOptions): Promise<InstallResult>;
  update?(options?: AdapterUpdateOptions): Promise<InstallResult>;
}

export interface DetectInstallationResult {
  installed: boolean;
  version?: string;
  path?: string;
  notes?: string;
}
export interface InstallResult {
  ok: boolean;
  method: string;
  command: string;
  stdout?: string;
  stderr?: string;
  installedVersion?: string;
  message?: string;
}
export interface AdapterInstallOptions {
  version?: string;
  force?: boolean;
  dryRun?: boolean;
}
export interface AdapterUpdateOptions {
  dryRun?: boolean;
}
export type Spawner = (
  command: string,
  args: string[],
  options?: { env?: Record<string, string>; cwd?: string },
) => Promise<{ code: number; stdout: string; stderr: string }>;
