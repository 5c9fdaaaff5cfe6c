import type { StreamAssembler } from './assembler.ts';
import type { AgentCapabilities, InstallMethod, ModelCapabilities } from './capabilities.ts';
import type { EventBody, TimeoutKind } from './events.ts';
import type { HookFacet } from './hooks.ts';
import type { Limitation } from './limitations.ts';
import type { LiveFacet } from './live.ts';
import type { ResolvedRunOptions, RetryPolicy } from './options.ts';
import type { HostFiles, PluginContext } from './plugin-context.ts';
import type {
  AgentQuery,
  ExtensionFolders,
  InstalledPlugin,
  PluginFacet,
  PluginInstallOptions,
  PluginListing,
  PluginSearchOptions,
} from './plugins.ts';
import type { QuotaQuery } from './quota.ts';
import type { Session, SessionStore } from './sessions.ts';
import type { AgentConfig, AgentConfigSchema, AuthSetupGuidance, AuthState } from './surroundings.ts';
import type { TerminalFacet } from './terminal.ts';
import type { ToolKindTable } from './tool-kinds.ts';

export type AgentName = string;

export interface TerminalSize {
  cols: number;
  rows: number;
}

/** Exactly how to start the agent. */
export interface SpawnArgs {
  command: string;
  args: string[];
  /** Added to the allow-listed environment. */
  env: Record<string, string>;
  cwd: string;
  /** On a terminal of its own, for programs that refuse to work without: one stream of lines, colours and redrawing taken off. */
  usePty: boolean;
  /** The size of that terminal; default 120 by 40. */
  terminal?: TerminalSize;
  /** Written to stdin, which is then closed. Without it a one-shot process gets a closed stdin, a live one an open one. */
  stdin?: string;
  timeout?: number;
  inactivityTimeout?: number;
  shell?: boolean;
  /** Helper files, written below `options.scratchDir` (mode 0600) before the spawn. Keys are paths relative to it. */
  files?: Record<string, string>;
  /** Symbolic links, created like `files`: paths relative to `scratchDir`, with absolute targets. On this host only. */
  links?: Record<string, string>;
}

/** State of one run's decoding, kept by the engine so that adapters keep none. */
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
  /** The run began with a session that was there before: totals of the session hold turns that are not the run's. */
  resumed?: boolean;
  /** The adapter's own; plain data. Fresh for every process. */
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
  /** Its command is there, and fails when it is asked for its version: how. */
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
  /** It took the place of a built-in adapter: where it comes from, in words. */
  replacesBuiltIn?: string;
}

/** What is known of an agent before its adapter is loaded, and how that is done. */
export interface AdapterCard {
  agent: AgentName;
  displayName: string;
  cliCommand: string;
  minVersion?: string;
  /** By name, the default one first. */
  modes: readonly string[];
  hostEnvSignals?: readonly string[];
  /** When the agent is named for the first time. */
  load(): AgentAdapter;
  /** Whoever wrote the card has checked the adapter already: it is not checked again each time that it is loaded. */
  isChecked?: boolean;
}

/** How a process per turn can receive its prompt. `file`: a helper file that an argument names. */
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
  /** What the capabilities alone would promise too much of. */
  limitations?: readonly Limitation[];
  /** What the process prints; default `text`. Blank lines are handed to a decoder of text only. */
  outputFormat?: ParseContext['outputFormat'];
  /** For `oneshot` only, where it is fixed by the driver otherwise; default `stdin`. */
  promptDelivery?: (typeof ONESHOT_DELIVERIES)[number];
  /** For every driver but `oneshot`. */
  live?: LiveFacet;
  /**
   * A one-shot process ends its turn with its own event and may linger after it (a known fault of several CLIs):
   * the engine does not wait for the exit. False: the turn ends with the process.
   */
  turnEndIsFinal?: boolean;
  /**
   * The agent is an agent-mux itself: decoded values that are whole events pass as they are, `seq` and all. The engine
   * adds an event of its own only where the other side could not tell its end. For `oneshot` only.
   */
  passthrough?: boolean;
}

/**
 * Everything agent-mux needs to know of one agent: data plus pure codecs. No process I/O while running, no per-run state.
 * Made by `defineAdapter` from a fact sheet, or as a class that extends `BaseAgentAdapter`.
 */
export interface AgentAdapter {
  readonly agent: AgentName;
  readonly displayName: string;
  readonly cliCommand: string;
  readonly minVersion?: string;
  /** The versions that the proof ran with; another one gives a `debug` warning. */
  readonly provenVersions?: readonly string[];
  /** The public documents that it is made from, by name, where nobody could run the agent. Absent: it was run. */
  readonly documentedBy?: readonly string[];
  /** Of the default mode. */
  readonly capabilities: AgentCapabilities;
  readonly modes?: readonly AgentMode[];
  /** What its own tools do, by the names of its events; the engine puts it on every event of a tool. */
  readonly toolKinds?: ToolKindTable;
  readonly models: readonly ModelCapabilities[];
  readonly defaultModelId?: string;
  readonly configSchema: AgentConfigSchema;
  readonly installMethods?: readonly InstallMethod[];
  /** Variables that the agent may see beside what any program needs: its keys, base URLs, homes and switches. `PREFIX_*` is allowed. */
  readonly envAllowList?: readonly string[];
  /** Variables that tell a process that it runs inside this agent; removed from every child. */
  readonly hostEnvSignals?: readonly string[];
  /** Always the same answer, nothing to look up on PATH (built-in or remote agents). */
  readonly needsNoInstall?: boolean;
  /** What is run for the version; default `--version`. */
  readonly versionArgs?: readonly string[];
  /** How its sessions are read. Absent: by `listSessionFiles` and `parseSessionFile`, where the adapter has its own. */
  readonly sessionStore?: SessionStore;
  /** How the agent is asked for its models, where it can tell; it may answer differently for each login. */
  readonly modelQuery?: AgentQuery<ModelCapabilities[]>;
  /** How the vendor is asked for the limits of a login, where it can be. */
  readonly quotaQuery?: QuotaQuery;
  readonly plugins?: PluginFacet;
  /** How it tells others what it does, where it can. */
  readonly hooks?: HookFacet;
  /** How its own screen is started. Absent: by its command alone. */
  readonly terminal?: TerminalFacet;
  readonly extensionFolders?: ExtensionFolders;

  /**
   * Called once per client, when the adapter is registered or first loaded, before any other method. Runs wait for its
   * promise; where it fails they reject with ADAPTER_ERROR.
   */
  initialize?(context: PluginContext): void | Promise<void>;
  /** Fills in what the run leaves open and a definition sets: a folder, a model, lists of tools. Then the options are gated. */
  fillOptions?(options: ResolvedRunOptions): ResolvedRunOptions;
  /**
   * For the mode in `options.mode`. `env` is what the process will get of this machine's environment: nothing where it runs
   * elsewhere, and nothing that `envAllowList` or the user does not let pass. Throws CapabilityError or ValidationError.
   */
  buildSpawnArgs(options: ResolvedRunOptions, env?: Readonly<NodeJS.ProcessEnv>): SpawnArgs;
  /** Waits for what must be so on this machine before the process may start. Rare: for faults of a CLI that cost data. */
  beforeSpawn?(options: ResolvedRunOptions, env: NodeJS.ProcessEnv, files: HostFiles): Promise<void>;
  /** One line of a one-shot process, or of any process's stderr. Never throws; null: not recognised. */
  parseEvent(line: string, context: ParseContext): EventBody | EventBody[] | null;
  /** What is still due when a one-shot process has closed its streams (events that only the end completes). */
  parseEnd?(context: ParseContext, exit: { code: number | null; signal: string | null }): EventBody[];

  /** Local, read-only, never throws. `env` instead of this process's own. */
  detectAuth(env?: NodeJS.ProcessEnv): Promise<AuthState>;
  getAuthGuidance(): AuthSetupGuidance;

  sessionDir(cwd?: string): string;
  parseSessionFile(filePath: string): Promise<Session>;
  listSessionFiles(cwd?: string): Promise<string[]>;

  readConfig(cwd?: string, env?: NodeJS.ProcessEnv): Promise<AgentConfig>;
  writeConfig(config: Partial<AgentConfig>, cwd?: string): Promise<void>;

  /** Instead of `plugins`, for an adapter that manages them without a CLI. */
  listPlugins?(): Promise<InstalledPlugin[]>;
  installPlugin?(pluginId: string, options?: PluginInstallOptions): Promise<InstalledPlugin>;
  uninstallPlugin?(pluginId: string): Promise<void>;
  searchPlugins?(query: string, options?: PluginSearchOptions): Promise<PluginListing[]>;

  /** The process could not be started. What it returns is told; unless that is a `crash` already, one follows. */
  onSpawnError?(error: Error): EventBody;
  /** A limit has passed: of the run, or of a silence. What it returns is told before the `timeout`. */
  onTimeout?(kind: TimeoutKind): EventBody;
  /** Asked once for every process that has ended, however it did. All that it returns is told; a `crash` only in mid-turn. */
  onProcessExit?(exitCode: number | null, signal: string | null): EventBody[];
  /** Whether a turn that has shown nothing yet is tried again; never more often than the policy allows. Default: `mayRetry`. */
  shouldRetry?(event: EventBody, attempt: number, policy: RetryPolicy): boolean;

  /** `env`: of the host. */
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
