import type { ApprovalMode, EventBody, ResolvedRunOptions, TokenUsage } from '@agent-mux/core';
import type { Json } from '../shared/json.ts';

/**
 * Scope of `PromptResponse.usage`, which differs by agent: this turn, the session so far, or only the last model
 * request.
 */
type UsageMeaning = 'turn' | 'session' | 'last-request';

/** Where one agent's ACP differs from another's. Everything is optional: the protocol alone is enough to talk. */
export interface AcpDialect {
  /** The login method to select before a session is opened, even if the user is already logged in. */
  authenticate?: string;
  /** The agent's mode ids for our approval modes, set by `session/set_mode`. */
  modes?: Partial<Record<ApprovalMode, string>>;
  /**
   * Permissions that the agent holds in config options next to its mode, and stores with the session: every value is
   * sent whenever a session is opened, before the mode, so that a resumed session never keeps those it is stored with.
   */
  permissionOptions?: (options: ResolvedRunOptions) => { configId: string; value: string }[];
  /** False: its session modes do not control permissions. */
  modesArePermissions?: false;
  /** Further `session/set_config_option` calls after the session is open. */
  configOptions?: (options: ResolvedRunOptions) => { configId: string; value: string }[];
  /** The agent asks its user by `elicitation/create` if the client supports it, otherwise with a permission request. */
  elicitation?: boolean;
  /** How the protocol selects a model; absent: by a launch flag, or not at all. */
  model?: { by: 'set_model' } | { by: 'config'; configId: string };
  usage?: UsageMeaning;
  /** Usage that is not in `PromptResponse.usage`. */
  readUsage?: (promptResult: Json) => TokenUsage | null;
  /** The model that a turn was charged to, if the agent's name for it differs from the requested one. */
  readUsedModel?: (promptResult: Json) => string | undefined;
  /** Usage that comes as an update (`_meta` of a chunk). */
  readUpdateUsage?: (update: Json) => TokenUsage | null;
  /** A chunk that is not model output: a mode change reported as prose. */
  isNoise?: (chunk: string) => boolean;
  /** A chunk that is the agent's own message, not model output: an error or notice as prose. Null: model output. */
  readProse?: (chunk: string) => EventBody[] | null;
  /** A failed turn ends as if it were completed; the only sign is that the model produced no output. */
  wordlessTurnFailed?: boolean;
  /** With this update an answer starts over, though the previous one has no end: the agent repeats its request. */
  restartsMessage?: (params: Json) => boolean;
  /** A vendor-specific notification, such as a retry that is not reported any other way. */
  readNotice?: (method: string, params: Json) => EventBody[];
  /** The thinking text without the agent's wrapper. */
  readThought?: (chunk: string) => string;
  /** The tool's real name, if the update carries it in another field. */
  toolName?: (update: Json) => string | undefined;
  /** The tool's input, if `rawInput` lacks it. */
  toolInput?: (update: Json) => unknown;
  /** A failure that the agent reports as success, recognized by its output. */
  toolFailed?: (output: string) => boolean;
  /** A tool of an MCP server, recognized by its name. */
  mcpTool?: (toolName: string, servers: readonly string[]) => { server: string; tool: string } | undefined;
  /** The notification that the session's MCP servers are connected, if an earlier turn would not find their tools. */
  mcpReadyNotice?: string;
  /** A rejected tool gets no update: the codec itself reports the denial. */
  rejectionIsSilent?: boolean;
  /**
   * History keeps arriving after the answer to `session/load`. Where the agent has a notice that always follows it, the
   * session counts as started only then.
   */
  replayEndsWith?: (update: Json) => boolean;
  /** Meaning of an error answer or a stderr line of this agent. */
  readError?: (message: string, code: number | null) => EventBody[] | null;
  /** The id of the session that the launch created: it is opened as if it were resumed. */
  madeSession?: (options: ResolvedRunOptions) => string;
  /** `_meta` for `session/new`. */
  sessionMeta?: (options: ResolvedRunOptions) => Json | undefined;
}
