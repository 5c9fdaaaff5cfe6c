import type { ApprovalMode, ResolvedRunOptions } from '@agent-mux/core';
import { type RpcState, rpcState } from '../jsonrpc/index.ts';
import type { Json } from '../shared/json.ts';
import { effortSettings, sessionSettings, type ToolRules, toolRules } from './permissions.ts';

/** The title of a session that has none yet. */
export const NO_TITLE = 'New Session';

export interface OpenTool {
  name: string;
  /** Of an MCP server, whose tools are called `<server>___<tool>`. */
  server: string | null;
  input: unknown;
  ready: boolean;
}

/** What the blocks of a turn need to know of each other; the same in both modes. */
export interface TurnState {
  thinking: boolean;
  /** The message that is open. */
  message: string | null;
  /** The last message whose text was told: it comes once more when it is whole. */
  told: string | null;
  tools: Record<string, OpenTool>;
  /** Calls whose refusal was said. */
  denied: string[];
}

/** Who waits for an answer. */
export type OpenRequest =
  | { kind: 'approval'; rpcId: number | string; toolCallIds: string[] }
  | { kind: 'questions'; rpcId: number | string; questions: { index: number; question: string }[] };

/** Plain data. */
export interface DroidState extends TurnState {
  rpc: RpcState;
  cwd: string;
  /** The session that is loaded, or null for a new one. */
  load: string | null;
  fork: boolean;
  /** For a new session, or beside the id of one that is loaded. */
  params: Json;
  /** Sent with a new session; a loaded one has those of its last run until they are set again. */
  settings: Json;
  /** Chosen for the run, and given again with every change. */
  effort: Json;
  approvalMode: ApprovalMode;
  /** What the caller allowed and denied by name. */
  named: ToolRules;
  outputFormat: Json | null;
  sessionId: string | null;
  model: string | null;
  permissionMode: string | null;
  requests: Record<string, OpenRequest>;
  /** Requests whose words have not reached the model yet. */
  steers: string[];
  interrupted: boolean;
  /** What went wrong in this turn, in Droid's words. */
  failure: string | null;
  structured: Json | null;
  title: string | null;
}

export function turnState(): TurnState {
  return { thinking: false, message: null, told: null, tools: {}, denied: [] };
}

/** Every line of Droid's protocol has this version; the one that counts is `factoryProtocolVersion`, which only it says. */
const ENVELOPE = { factoryApiVersion: '1.0.0' };

export function openState(options: ResolvedRunOptions, params: Json): DroidState {
  const { cwd, sessionId, forkSessionId, outputSchema } = options;
  return {
    ...turnState(),
    rpc: rpcState('2.0', ENVELOPE),
    cwd,
    load: forkSessionId ?? sessionId ?? null,
    fork: forkSessionId !== undefined,
    params,
    settings: sessionSettings(options),
    effort: effortSettings(options.thinkingEffort),
    approvalMode: options.approvalMode,
    named: toolRules(options),
    outputFormat: outputSchema ? { type: 'json_schema', schema: outputSchema } : null,
    sessionId: null,
    model: options.model ?? null,
    permissionMode: null,
    requests: {},
    steers: [],
    interrupted: false,
    failure: null,
    structured: null,
    title: null,
  };
}
