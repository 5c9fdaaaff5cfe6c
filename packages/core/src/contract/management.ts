/** Managing the agents of a machine: log in, choose models, install, diagnose. */
import type { AdapterInstallOptions, InstallResult, Spawner } from './adapter.ts';
import type { AuthMethodType, AuthSetupGuidance, AuthState } from './auth-and-config.ts';
import type { InstallMethod, ModelCapabilities, Platform } from './capabilities.ts';
import type { TokenUsage } from './events.ts';

export interface AgentAuth extends AuthState {
  agent: string;
}

export interface LoginCommand {
  type: AuthMethodType;
  name: string;
  command: string;
}

export interface AuthGuide extends AuthSetupGuidance {
  platform: Platform;
  /** The login commands of this platform, one per login method. */
  commands: readonly LoginCommand[];
}

/** Login status of agents. Reads this machine only, changes nothing, returns no secrets. Throws UNKNOWN_AGENT. */
export interface AuthApi {
  /** Checks one agent, within 100 ms. */
  check(agent: string): Promise<AgentAuth>;
  /** Checks all agents. */
  checkAll(): Promise<AgentAuth[]>;
  /** Login steps, and the commands for a platform (default: this one). */
  guidance(agent: string, platform?: NodeJS.Platform): Promise<AuthGuide>;
}

export interface ModelListOptions {
  /** Query the agent again instead of using the cache. */
  refresh?: boolean;
  /** Start nothing; use only what agent-mux knows. */
  bundledOnly?: boolean;
}

export interface ModelList {
  agent: string;
  /** `agent`: reported by the agent for its current login. `bundled`: from this version of agent-mux. */
  source: 'agent' | 'bundled';
  /** Epoch milliseconds at which the agent reported the list. */
  askedAt?: number;
  /** Why the query failed and the bundled list is used. */
  problem?: string;
  models: ModelCapabilities[];
}

export interface ModelValidation {
  agent: string;
  model: string;
  /** Also true if the agent's models are unknown, see `source: null`. */
  ok: boolean;
  /** The model's own id, if an alias was passed. */
  id: string | null;
  source: ModelList['source'] | null;
  suggestions: string[];
}

/** Models of the agents. Throws UNKNOWN_AGENT. */
export interface ModelsApi {
  /** Queries the agent if it supports that, at most once an hour; otherwise returns the bundled list. */
  list(agent: string, options?: ModelListOptions): Promise<ModelList>;
  /** Finds a model by id or alias. */
  find(agent: string, model: string, options?: ModelListOptions): Promise<ModelCapabilities | null>;
  /** Whether the model exists, with similar names if not. */
  validate(agent: string, model: string, options?: ModelListOptions): Promise<ModelValidation>;
  /** The model the agent uses by default: from its own files, or from its adapter. Null: unknown. */
  defaultModel(agent: string, options?: { cwd?: string }): Promise<string | null>;
  /** Cost in US dollars at published prices. Null: the model, a price or a count is unknown. */
  estimateCost(agent: string, model: string, usage: Partial<TokenUsage>): Promise<number | null>;
}

export type InstallAction = 'install' | 'update' | 'uninstall';

/** A command as run and as displayed. */
export interface PlannedCommand {
  command: string;
  args: string[];
  line: string;
}

export interface InstallPlanOptions {
  action?: InstallAction;
  /** Default: the platform of this machine. */
  platform?: NodeJS.Platform;
  /** For `install`: a version the package manager knows. */
  version?: string;
  /** Default: the first method whose program exists here; for an installed agent, the method it was installed with. */
  method?: InstallMethod['type'];
}

export interface InstallPlan {
  agent: string;
  action: InstallAction;
  platform: NodeJS.Platform;
  method: InstallMethod['type'];
  commands: PlannedCommand[];
  notes?: string;
}

export interface InstallOptions extends AdapterInstallOptions {
  method?: InstallMethod['type'];
  /** Called with each line the installer prints. */
  onProgress?: (line: string) => void;
  signal?: AbortSignal;
  /** Runs the commands instead of the engine. */
  spawner?: Spawner;
}

export type InstallChangeOptions = Omit<InstallOptions, 'version' | 'force'>;

export interface InstallOutcome extends InstallResult {
  agent: string;
  action: InstallAction;
  dryRun: boolean;
  /** Whether anything changed. */
  changed: boolean;
  previousVersion: string | null;
  /** Current path of the command. */
  path: string | null;
  /** What the user still has to do. */
  hint?: string;
}

/** Throws UNKNOWN_AGENT, VALIDATION_ERROR, and CAPABILITY_ERROR with manual steps if no command is known. */
export interface InstallApi {
  plan(agent: string, options?: InstallPlanOptions): Promise<InstallPlan>;
  install(agent: string, options?: InstallOptions): Promise<InstallOutcome>;
  update(agent: string, options?: InstallChangeOptions): Promise<InstallOutcome>;
  uninstall(agent: string, options?: InstallChangeOptions): Promise<InstallOutcome>;
}

export const FINDING_LEVELS = ['ok', 'info', 'warning', 'error'] as const;

export interface Finding {
  level: (typeof FINDING_LEVELS)[number];
  /** What was checked: `binary`, `version`, `login`, ... */
  check: string;
  /** Null: agent-mux itself. */
  agent: string | null;
  message: string;
  hint?: string;
}

export interface DoctorOptions {
  /** Default: all. A named agent that is not installed is an error. */
  agents?: readonly string[];
  /** The project whose configuration applies. */
  cwd?: string;
  /** Called with findings as soon as they exist: for agent-mux first, then for each agent as it answers. */
  onFound?: (findings: readonly Finding[]) => void;
}
