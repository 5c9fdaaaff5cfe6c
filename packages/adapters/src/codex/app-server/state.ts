import type { ApprovalMode } from '@agent-mux/core';
import { type RpcState, rpcState } from '../../jsonrpc/index.ts';
import type { Json } from '../../shared/json.ts';
import { type ItemState, itemState } from '../item-state.ts';

/** A pending request, and how to encode its answer. */
export interface OpenRequest {
  rpcId: number | string;
  kind: 'decision' | 'elicitation' | 'permissions' | 'questions';
  toolCallId: string | null;
  /** The permissions that `item/permissions/requestApproval` asked for. */
  permissions: Json | null;
}

/** State of a conversation with the app-server. Plain data: a daemon stores it and resumes from it. */
export interface AppServerState extends ItemState {
  rpc: RpcState;
  /** How the thread is opened: `thread/start`, `thread/resume` or `thread/fork` and its parameters. */
  open: { method: string; params: Json; cwd: string; addDirs: string[]; skillRoots: string[] };
  /** Sent with every turn. */
  everyTurn: Json;
  /** Sent with the next turn, and in effect from then on. */
  nextTurn: Json;
  approvalMode: ApprovalMode;
  agentVersion: string | null;
  threadId: string | null;
  turnId: string | null;
  turn: 'none' | 'asked' | 'running';
  /** Requested before the turn had an id. */
  interruptDue: boolean;
  steersDue: Json[][];
  interrupted: boolean;
  /** The failure of this turn has been emitted. */
  failed: boolean;
  retries: number;
  /** The changes of each open patch, by its item: the request for it only names that. */
  patches: Record<string, Json[]>;
  requests: Record<string, OpenRequest>;
  /** The last emitted state of the rate limits, so that only changes are emitted. */
  limits: string;
  limitResetsAt: number | null;
}

export function openState(open: AppServerState['open'], everyTurn: Json, approvalMode: ApprovalMode): AppServerState {
  return {
    ...itemState(null),
    rpc: rpcState(null),
    open,
    everyTurn,
    nextTurn: {},
    approvalMode,
    agentVersion: null,
    threadId: null,
    turnId: null,
    turn: 'none',
    interruptDue: false,
    steersDue: [],
    interrupted: false,
    failed: false,
    retries: 0,
    patches: {},
    requests: {},
    limits: '',
    limitResetsAt: null,
  };
}
