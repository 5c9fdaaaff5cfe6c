/** Marks a generated file in its first lines. */
export const HOOK_FILE_MARKER = 'made by amux hooks install';

/** Session states that a hook can report. */
export type HookState = 'active' | 'idle' | 'waiting_input' | 'blocked' | 'exited';

/**
 * What one hook call reports, in agent-mux terms. All fields are optional: a hook may only show that the session is
 * alive.
 */
export interface HookReport {
  state?: HookState;
  /** The agent's own session id. */
  agentSessionId?: string;
  /** Working directory of the agent. */
  cwd?: string;
  /** The prompt that starts a turn; the first one names the session. */
  prompt?: string;
  /** The answer that ends a turn. */
  answer?: string;
  model?: string;
}

/** A native hook event to subscribe to. */
export interface HookEvent {
  /** The agent's name of the event; also the argument after `amux hooks <agent>`. */
  name: string;
  /** The agent's pattern that matches all tools, if the event needs one. */
  matcher?: string;
  /** Overrides `HookFile.timeout` for this event, in the agent's own unit. */
  timeout?: number;
}

/**
 * Where an agent looks for hooks in a workspace, and in which format. Paths are relative to the workspace. In user
 * files our entries are identified by their command (`amux hooks <agent> `); a generated file is identified by
 * `HOOK_FILE_MARKER` in its first line, or in its second if the first is a shebang. The engine adds the marker if
 * `text` has none.
 */
export type HookFile =
  /**
   * `{ "hooks": { EVENT: [{ "matcher", "hooks": [{ "type": "command", "command" }] }] } }`; `under` is the path to the
   * table of events.
   */
  | {
      shape: 'json-groups';
      path: string;
      under: readonly string[];
      timeout?: number;
      fixed?: Readonly<Record<string, unknown>>;
    }
  /**
   * A list of entries per event, each with its command in an agent-specific field; `fixed` is added next to the table.
   */
  | {
      shape: 'json-flat';
      path: string;
      under: readonly string[];
      entry(command: string, event: HookEvent): Record<string, unknown>;
      fixed?: Readonly<Record<string, unknown>>;
    }
  /** The same groups in TOML. */
  | { shape: 'toml-groups'; path: string; under: readonly string[] }
  /** The same lists in YAML. */
  | {
      shape: 'yaml-list';
      path: string;
      under: readonly string[];
      entry(command: string, event: HookEvent): Record<string, unknown>;
    }
  /** A block between two markers in a user-written text. */
  | { shape: 'markdown-block'; path: string; text(commandOf: (event: string) => string): string }
  /** One generated executable per event. */
  | { shape: 'scripts'; folder: string; fileOf(event: HookEvent): string; text(command: string): string }
  /** One generated module that the agent loads. */
  | { shape: 'plugin'; path: string; text(agent: string): string };

/** An entry in the group format that most agents adopted from Claude Code. */
export function hookGroup(command: string, event: HookEvent, ofAll?: number): Record<string, unknown> {
  const { matcher, timeout = ofAll } = event;
  const hook = { type: 'command', command, ...(timeout === undefined ? {} : { timeout }) };
  return { ...(matcher === undefined ? {} : { matcher }), hooks: [hook] };
}

/** Additions to a launch that make hooks report without a file in the workspace. */
export interface HookLaunchArgs {
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** Additional environment variables; a value set by the user takes precedence. */
  envDefaults?: Readonly<Record<string, string>>;
  /** Written below the run's scratch folder, by relative path. */
  files?: Readonly<Record<string, string>>;
}

/** The hooks of one agent: data and pure functions. */
export interface HookSpec {
  readonly events: readonly HookEvent[];
  readonly file: HookFile;
  /** What the agent requires to run hooks, human-readable: a trusted folder, a flag. */
  readonly trust?: string;
  /** The payload is untrusted: invalid parts are ignored. Never throws. */
  read(event: string, payload: Readonly<Record<string, unknown>>): HookReport;
  /** Absent: hooks need a file in the workspace. `scratchDir` is where the launch files will be written. */
  forRun?(commandOf: (event: string) => string, scratchDir: string): HookLaunchArgs;
}

/** Workspace of the hooks. */
export interface HookOptions {
  /** The workspace; default the current folder. */
  cwd?: string;
}

/** Hook support of one agent. */
export interface HookSupport {
  agent: string;
  /** The agent's own event names. */
  events: readonly string[];
  /** Files that are written, relative to the workspace. */
  files: readonly string[];
  /** What the agent requires to run hooks, human-readable. */
  trust?: string;
  /** Whether a run can use hooks without any file (`RunOptions.hooks`). */
  forRun: boolean;
}

export interface HookFileStatus {
  /** Absolute path with all links resolved. */
  path: string;
  /**
   * `outdated`: entries of another version. `foreign`: a file not created by agent-mux exists. `broken`: unreadable.
   */
  state: 'installed' | 'outdated' | 'absent' | 'foreign' | 'broken';
  /** Why the file is foreign or broken. */
  problem?: string;
  /**
   * How git sees the file. `ignored`: excluded by our line in `.git/info/exclude`. `tracked`: the change is visible.
   * `yours`: the file existed before and git is not configured. Null: not in a repository, or the file does not exist.
   */
  git: 'ignored' | 'tracked' | 'yours' | null;
}

/** Status of an agent's hooks in a workspace. */
export interface HookStatus extends HookSupport {
  /** Real path of the workspace. */
  workspace: string;
  /** All hooks are installed. */
  installed: boolean;
  states: readonly HookFileStatus[];
}

/** Result of installing or uninstalling hooks. */
export interface HookChange extends HookStatus {
  /** Whether any file changed. */
  changed: boolean;
}

/** Hooks of agents in workspaces, which report unmanaged sessions. */
export interface AgentHooks {
  /** Lists the agents that have hooks, with details. */
  supported(): HookSupport[];
  /**
   * Adds our hooks next to the user's own. Idempotent. Throws CONFIG_ERROR if a file is broken or not created by
   * agent-mux, and CAPABILITY_ERROR if the agent has no hooks.
   */
  install(agent: string, options?: HookOptions): Promise<HookChange>;
  /** Removes our hooks and restores the files. */
  uninstall(agent: string, options?: HookOptions): Promise<HookChange>;
  /** Reads the status without writing anything. */
  status(agent: string, options?: HookOptions): Promise<HookStatus>;
}
