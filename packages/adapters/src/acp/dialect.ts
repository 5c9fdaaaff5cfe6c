import type { ApprovalMode, EventBody, ResolvedRunOptions, TokenUsage } from '@agent-mux/core';
import type { Json } from '../shared/json.ts';

/** What `PromptResponse.usage` counts, which differs by agent: this turn, the session so far, or only the last model request. */
type UsageMeaning = 'turn' | 'session' | 'last-request';

/** Where one agent's ACP differs from another's. Everything is optional: the protocol alone is enough to talk. */
export interface AcpDialect {
  /** The login that must be chosen before a session is opened, though it was made beforehand. */
  authenticate?: string;
  /** The agent's mode ids for our approval modes, set by `session/set_mode`. */
  modes?: Partial<Record<ApprovalMode, string>>;
  /**
   * Permissions that the agent holds in config options next to its mode, and stores with the session: every value is sent
   * whenever a session is opened, before the mode, so that a resumed session never keeps those it is stored with.
   */
  permissionOptions?: (options: ResolvedRunOptions) => { configId: string; value: string }[];
  /** False: its session modes are about something else than permissions. */
  modesArePermissions?: false;
  /** Further `session/set_config_option` calls after the session is there. */
  configOptions?: (options: ResolvedRunOptions) => { configId: string; value: string }[];
  /** The agent asks its user by `elicitation/create` when it may; otherwise as if it were for a permission. */
  elicitation?: boolean;
  /** How a model is chosen within the protocol; absent: by a launch flag, or not at all. */
  model?: { by: 'set_model' } | { by: 'config'; configId: string };
  usage?: UsageMeaning;
  /** Usage that is not in `PromptResponse.usage`. */
  readUsage?: (promptResult: Json) => TokenUsage | null;
  /** The model that a turn was charged to, where the agent has another name for it than for the one it was given. */
  readUsedModel?: (promptResult: Json) => string | undefined;
  /** Usage that comes as an update (`_meta` of a chunk). */
  readUpdateUsage?: (update: Json) => TokenUsage | null;
  /** A chunk that is not the model's: a mode change told as prose. */
  isNoise?: (chunk: string) => boolean;
  /** A chunk that is the agent's own word, not the model's: an error told as prose, a notice. Null: it is the model's. */
  readProse?: (chunk: string) => EventBody[] | null;
  /** A turn that failed ends as if it were completed, and nothing tells of it but that the model has said nothing. */
  wordlessTurnFailed?: boolean;
  /** With this update an answer begins anew, though the one before has no end: the agent repeats its request. */
  restartsMessage?: (params: Json) => boolean;
  /** A notification of the vendor's own: a retry that is told nowhere else. */
  readNotice?: (method: string, params: Json) => EventBody[];
  /** The thought without what the agent puts around it. */
  readThought?: (chunk: string) => string;
  /** The tool's real name, where the update carries it elsewhere. */
  toolName?: (update: Json) => string | undefined;
  /** The tool's input, where `rawInput` lacks it. */
  toolInput?: (update: Json) => unknown;
  /** A failure that the agent calls a success, told by its output. */
  toolFailed?: (output: string) => boolean;
  /** A tool of an MCP server, told by its name. */
  mcpTool?: (toolName: string, servers: readonly string[]) => { server: string; tool: string } | undefined;
  /** The notification that the MCP servers of the session are connected, where a turn before it does not find their tools. */
  mcpReadyNotice?: string;
  /** A rejected tool gets no update: the codec says itself that it was denied. */
  rejectionIsSilent?: boolean;
  /**
   * History goes on arriving after the answer to `session/load`. Where the agent has a notice that always follows it, the
   * session counts as started only then.
   */
  replayEndsWith?: (update: Json) => boolean;
  /** What an error answer or a stderr line of this agent means. */
  readError?: (message: string, code: number | null) => EventBody[] | null;
  /** The id of the session that the launch has made: it is opened as if it were resumed. */
  madeSession?: (options: ResolvedRunOptions) => string;
  /** `_meta` for `session/new`. */
  sessionMeta?: (options: ResolvedRunOptions) => Json | undefined;
}
