import type { ApprovalMode, ResolvedRunOptions } from '@agent-mux/core';
import { type RpcState, rpcState } from '../jsonrpc/index.ts';
import type { Json } from '../shared/json.ts';
import { effortSettings, sessionSettings, type ToolRules, toolRules } from './permissions.ts';

/** The title of an untitled session. */
export const NO_TITLE = 'New Session';

export interface OpenTool {
  name: string;
  /** The MCP server, whose tools are named `<server>___<tool>`. */
  server: string | null;
  input: unknown;
  ready: boolean;
}

/** State shared by the blocks of a turn; the same in both modes. */
export interface TurnState {
  thinking: boolean;
  /** The open message. */
  message: string | null;
  /** The last message whose text was emitted: it is repeated when it is complete. */
  emitted: string | null;
  tools: Record<string, OpenTool>;
  /** Calls whose denial was emitted. */
  denied: string[];
}

/** A pending request. */
export type OpenRequest =
  | { kind: 'approval'; rpcId: number | string; toolCallIds: string[] }
  | { kind: 'questions'; rpcId: number | string; questions: { index: number; question: string }[] };

/** Plain data. */
export interface DroidState extends TurnState {
  rpc: RpcState;
  cwd: string;
  /** The session to load, or null for a new one. */
  load: string | null;
  fork: boolean;
  /** For a new session, or in addition to the id of a loaded one. */
  params: Json;
  /** Sent with a new session; a loaded one has those of its last run until they are set again. */
  settings: Json;
  /** Chosen for the run, and sent again with every change. */
  effort: Json;
  approvalMode: ApprovalMode;
  /** Tools that the caller allowed and denied by name. */
  named: ToolRules;
  outputFormat: Json | null;
  sessionId: string | null;
  model: string | null;
  permissionMode: string | null;
  requests: Record<string, OpenRequest>;
  /** Requests whose text has not reached the model yet. */
  steers: string[];
  interrupted: boolean;
  /** The failure of this turn, as Droid reports it. */
  failure: string | null;
  structured: Json | null;
  title: string | null;
}

export function turnState(): TurnState {
  return { thinking: false, message: null, emitted: null, tools: {}, denied: [] };
}

/**
 * Every line of Droid's protocol has this version; the relevant one is `factoryProtocolVersion`, which only Droid
 * sends.
 */
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
