import type { ApprovalMode, ResolvedRunOptions, ToolKind } from '@agent-mux/core';
import { type RpcState, rpcState } from '../jsonrpc/index.ts';
import type { Json } from '../shared/json.ts';

export interface AcpTool {
  name: string;
  /** As the agent reports it; `mcp` for a tool of an MCP server. */
  kind: ToolKind;
  input: unknown;
  ready: boolean;
  mcpServer: string | null;
}

/** Plain data: a daemon stores it and resumes from it. */
export interface AcpState {
  rpc: RpcState;
  /** Options for opening the session. */
  open: {
    cwd: string;
    mcpServers: Json[];
    mcpNames: string[];
    resume: string | null;
    fork: string | null;
    model: string | null;
    approvalMode: ApprovalMode;
    nativeMode: string | null;
    addDirs: string[];
    configOptions: { configId: string; value: string }[];
    permissionOptions: { configId: string; value: string }[];
    meta: Json | null;
  };
  agentVersion: string | null;
  supports: { load: boolean; resume: boolean; fork: boolean; close: boolean; image: boolean };
  sessionId: string | null;
  /** The agent's own name of the model, if it reports one. */
  model: string | null;
  /** The id of the session mode that the agent reports. */
  mode: string | null;
  /** Values the agent reports for the options that hold permissions, by option id. */
  permissions: Record<string, string>;
  /** Settings that must be answered before the session counts as started. */
  settings: number;
  opened: boolean;
  started: boolean;
  /** Anything before the session start is history. */
  replayEnded: boolean;
  mcpReady: boolean;
  prompting: boolean;
  cancelled: boolean;
  /** A request was denied in this turn. */
  denied: boolean;
  /** The agent reported a failure in this turn, as prose. */
  failed: boolean;
  /** The model produced output since the turn started or a tool was called. */
  spoken: boolean;
  messageId: string | null;
  inMessage: boolean;
  tools: Record<string, AcpTool>;
  /** Denied tools whose end this codec must report. */
  deniedTools: string[];
  requests: Record<string, { rpcId: number | string; toolCallId: string }>;
  /** Open questions, with the fields that accept several answers. */
  forms: Record<string, { rpcId: number | string; multiple: string[] }>;
}

export function openState(
  options: ResolvedRunOptions,
  extra: Pick<AcpState['open'], 'configOptions' | 'permissionOptions' | 'meta' | 'resume'>,
): AcpState {
  return {
    rpc: rpcState(),
    open: {
      cwd: options.cwd,
      mcpServers: mcpServersOf(options),
      mcpNames: Object.keys(options.mcpServers ?? {}),
      fork: options.forkSessionId ?? null,
      model: options.model ?? null,
      approvalMode: options.approvalMode,
      nativeMode: options.nativePermissionMode ?? null,
      addDirs: [...(options.addDirs ?? [])],
      ...extra,
    },
    agentVersion: null,
    supports: { load: false, resume: false, fork: false, close: false, image: false },
    sessionId: null,
    model: null,
    mode: null,
    permissions: {},
    settings: 0,
    opened: false,
    started: false,
    replayEnded: false,
    mcpReady: false,
    prompting: false,
    cancelled: false,
    denied: false,
    failed: false,
    spoken: false,
    messageId: null,
    inMessage: false,
    tools: {},
    deniedTools: [],
    requests: {},
    forms: {},
  };
}

function mcpServersOf(options: ResolvedRunOptions): Json[] {
  const pairs = (map: Record<string, string> = {}) => Object.entries(map).map(([name, value]) => ({ name, value }));
  return Object.entries(options.mcpServers ?? {}).map(([name, server]): Json => {
    if ('url' in server) return { type: server.type, name, url: server.url, headers: pairs(server.headers) };
    return { name, command: server.command, args: server.args ?? [], env: pairs(server.env) };
  });
}
