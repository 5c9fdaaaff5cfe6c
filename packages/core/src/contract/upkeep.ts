/** What a person does with the agents of a machine beside running them: log in, choose models, install, look what is wrong. */
import type { AdapterInstallOptions, InstallResult, Spawner } from './adapter.ts';
import type { InstallMethod, ModelCapabilities, Platform } from './capabilities.ts';
import type { TokenUsage } from './events.ts';
import type { AuthMethodType, AuthSetupGuidance, AuthState } from './surroundings.ts';

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
  /** What to type on this platform, a way of logging in each. */
  commands: readonly LoginCommand[];
}

/** Who is logged in where. Reads this machine only, changes nothing, tells no secret. Throws UNKNOWN_AGENT. */
export interface AuthApi {
  /** One agent, within 100 ms. */
  check(agent: string): Promise<AgentAuth>;
  /** All agents. */
  checkAll(): Promise<AgentAuth[]>;
  /** The steps that log in, and what to type on a platform (default: this one). */
  guidance(agent: string, platform?: NodeJS.Platform): Promise<AuthGuide>;
}

export interface ModelListOptions {
  /** Ask the agent again, whatever is still believed. */
  refresh?: boolean;
  /** Start nothing: what agent-mux itself knows. */
  bundledOnly?: boolean;
}

export interface ModelList {
  agent: string;
  /** `agent`: as it told itself, for the login that it has. `bundled`: as this version of agent-mux knows them. */
  source: 'agent' | 'bundled';
  /** Epoch milliseconds at which the agent told it. */
  askedAt?: number;
  /** Why the agent was asked and the list is the bundled one. */
  problem?: string;
  models: ModelCapabilities[];
}

export interface ModelVerdict {
  agent: string;
  model: string;
  /** True also where nothing is known of the agent's models, which `source: null` says. */
  ok: boolean;
  /** Its own id, where an alias was given. */
  id: string | null;
  source: ModelList['source'] | null;
  suggestions: string[];
}

/** Which models the agents offer. Throws UNKNOWN_AGENT. */
export interface ModelsApi {
  /** Asks the agent itself where it can tell, at most once an hour; else what agent-mux knows. */
  list(agent: string, options?: ModelListOptions): Promise<ModelList>;
  /** By id or alias. */
  find(agent: string, model: string, options?: ModelListOptions): Promise<ModelCapabilities | null>;
  /** Whether there is such a model, and which are near where not. */
  validate(agent: string, model: string, options?: ModelListOptions): Promise<ModelVerdict>;
  /** What the agent uses when nobody says which: as its own files say, else as its adapter knows. Null: unknown. */
  defaultModel(agent: string, options?: { cwd?: string }): Promise<string | null>;
  /** In US dollars, by published prices. Null: the model, a price or a count is not known. */
  estimateCost(agent: string, model: string, usage: Partial<TokenUsage>): Promise<number | null>;
}

export type InstallAction = 'install' | 'update' | 'uninstall';

/** A command as it is run, and as it is shown. */
export interface PlannedCommand {
  command: string;
  args: string[];
  line: string;
}

export interface InstallPlanOptions {
  action?: InstallAction;
  /** Default: of this machine. */
  platform?: NodeJS.Platform;
  /** For `install`: as the package manager knows it. */
  version?: string;
  /** Default: the adapter's first whose program is here; for what is installed, the one that it was installed by. */
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
  /** Each line that the installer prints. */
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
  /** Whether something is different now. */
  changed: boolean;
  previousVersion: string | null;
  /** Where the command is now. */
  path: string | null;
  /** What is left for the person to do. */
  remedy?: string;
}

/** Throws UNKNOWN_AGENT, VALIDATION_ERROR, and CAPABILITY_ERROR with what to do by hand where no command is known. */
export interface InstallApi {
  plan(agent: string, options?: InstallPlanOptions): Promise<InstallPlan>;
  install(agent: string, options?: InstallOptions): Promise<InstallOutcome>;
  update(agent: string, options?: InstallChangeOptions): Promise<InstallOutcome>;
  uninstall(agent: string, options?: InstallChangeOptions): Promise<InstallOutcome>;
}

export const FINDING_LEVELS = ['ok', 'info', 'warning', 'error'] as const;

export interface Finding {
  level: (typeof FINDING_LEVELS)[number];
  /** What was looked at: `binary`, `version`, `login`, ... */
  check: string;
  /** Null: agent-mux itself. */
  agent: string | null;
  message: string;
  remedy?: string;
}

export interface DoctorOptions {
  /** Default: all. One that is named and not installed is an error. */
  agents?: readonly string[];
  /** The project whose configuration counts. */
  cwd?: string;
  /** Told what was found as soon as it is: of agent-mux itself, then of each agent, those that answer quickly first. */
  onFound?: (findings: readonly Finding[]) => void;
}
