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
}

/**
 * Where an agent looks for hooks in a workspace, and in which shape. Paths are relative to the workspace. What is ours in a file
 * of the user is known by its command (`amux hooks <agent> `); a file that is ours as a whole is known by a mark in its first line.
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

/** What is added to a launch so that hooks report without any file in the workspace. */
export interface HookLaunch {
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
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
