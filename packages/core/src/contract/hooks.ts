/** Stands in the first lines of a file that is ours as a whole. */
export const HOOK_FILE_MARK = 'made by amux hooks install';

/** What a hook can tell of its session. */
export type HookState = 'active' | 'idle' | 'waiting_input' | 'blocked' | 'exited';

/** What one call of a hook says, in the words of agent-mux. All of it is optional: a hook may only show that the session lives. */
export interface HookReport {
  state?: HookState;
  /** The agent's own id of the session. */
  agentSessionId?: string;
  /** Where the agent works. */
  cwd?: string;
  /** The prompt that a turn begins with: the first one names the session. */
  prompt?: string;
  /** The answer that a turn ended with. */
  answer?: string;
  model?: string;
}

/** An event of the agent's own that is listened to. */
export interface HookEvent {
  /** The agent's name of it; also the word behind `amux hooks <agent>`. */
  name: string;
  /** Where the agent wants to know for which tools: its word for all of them. */
  matcher?: string;
  /** For this event another one than for all (`HookFile.timeout`), in the agent's own unit. */
  timeout?: number;
}

/**
 * Where an agent looks for hooks in a workspace, and in which shape. Paths are relative to the workspace. What is ours in a file
 * of the user is known by its command (`amux hooks <agent> `); a file that is ours as a whole is known by a mark in its first line
 * (`HOOK_FILE_MARK`), or in its second where the first says what runs it. The engine puts it there where `text` has none.
 */
export type HookFile =
  /** `{ "hooks": { EVENT: [{ "matcher", "hooks": [{ "type": "command", "command" }] }] } }`; `under` names the way to the table of events. */
  | {
      shape: 'json-groups';
      path: string;
      under: readonly string[];
      timeout?: number;
      fixed?: Readonly<Record<string, unknown>>;
    }
  /** A list of entries per event, each with its command in a field of the agent's own; `fixed` stands beside the table. */
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
  /** A block between two marks in a text that people write. */
  | { shape: 'markdown-block'; path: string; text(commandOf: (event: string) => string): string }
  /** An executable of ours for each event. */
  | { shape: 'scripts'; folder: string; fileOf(event: HookEvent): string; text(command: string): string }
  /** One module of ours that the agent loads. */
  | { shape: 'plugin'; path: string; text(agent: string): string };

/** An entry of the shapes with groups, which most agents have taken over from Claude Code. */
export function hookGroup(command: string, event: HookEvent, ofAll?: number): Record<string, unknown> {
  const { matcher, timeout = ofAll } = event;
  const hook = { type: 'command', command, ...(timeout === undefined ? {} : { timeout }) };
  return { ...(matcher === undefined ? {} : { matcher }), hooks: [hook] };
}

/** What is added to a launch so that hooks report without any file in the workspace. */
export interface HookLaunch {
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** Variables beside those: one that the user has set keeps its value. */
  envDefaults?: Readonly<Record<string, string>>;
  /** Written below the run's scratch folder, by relative path. */
  files?: Readonly<Record<string, string>>;
}

/** The hooks of one agent: data and pure functions. */
export interface HookFacet {
  readonly events: readonly HookEvent[];
  readonly file: HookFile;
  /** What must be so for the agent to run them, in words: a folder that it trusts, a flag. */
  readonly trust?: string;
  /** The payload is anybody's: what does not fit is left out. Never throws. */
  read(event: string, payload: Readonly<Record<string, unknown>>): HookReport;
  /** Absent: there is no way without a file. `scratchDir` is where its files will lie. */
  forRun?(commandOf: (event: string) => string, scratchDir: string): HookLaunch;
}

/** Whose hooks, and where. */
export interface HookPlace {
  /** The workspace; default the current folder. */
  cwd?: string;
}

/** What can be done with the hooks of an agent. */
export interface HookSupport {
  agent: string;
  /** The agent's own names. */
  events: readonly string[];
  /** Where they are written, seen from the workspace. */
  files: readonly string[];
  /** What must be so for the agent to run them, in words. */
  trust?: string;
  /** Whether a run can have them without any file (`RunOptions.hooks`). */
  forRun: boolean;
}

export interface HookFileStatus {
  /** Absolute, and the end of all links. */
  path: string;
  /** `outdated`: some are there, but not those of this version. `foreign`: another file is in the way. `broken`: it cannot be read. */
  state: 'installed' | 'outdated' | 'absent' | 'foreign' | 'broken';
  /** Why, where it is foreign or broken. */
  problem?: string;
  /**
   * What git makes of it: `ignored` by a line of ours in `.git/info/exclude`; `tracked`: the change is seen; `yours`: the file was
   * there before, and nothing is said to git. Null: not in a repository, or not there.
   */
  git: 'ignored' | 'tracked' | 'yours' | null;
}

/** Whether the hooks of an agent are in a workspace. */
export interface HookStatus extends HookSupport {
  /** Its real path. */
  workspace: string;
  /** All of them are there. */
  installed: boolean;
  states: readonly HookFileStatus[];
}

/** What an installation or its removal has done. */
export interface HookChange extends HookStatus {
  /** Whether any file is another one now. */
  changed: boolean;
}

/** The hooks of agents in workspaces: what a session that somebody else started tells of itself. */
export interface AgentHooks {
  /** The agents that have hooks, and how. */
  supported(): HookSupport[];
  /** Puts them beside the user's own. Twice is once. Throws CONFIG_ERROR where a file is broken or another one is in the way, and CAPABILITY_ERROR where the agent has none. */
  install(agent: string, place?: HookPlace): Promise<HookChange>;
  /** Takes them out again; files are then as they were. */
  uninstall(agent: string, place?: HookPlace): Promise<HookChange>;
  /** Looks, and writes nothing. */
  status(agent: string, place?: HookPlace): Promise<HookStatus>;
}
