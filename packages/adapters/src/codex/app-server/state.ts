import type { ApprovalMode } from '@agent-mux/core';
import { type RpcState, rpcState } from '../../jsonrpc/index.ts';
import type { Json } from '../../shared/json.ts';
import { type ItemState, itemState } from '../item-state.ts';

/** Who waits for an answer, and in which words it is given. */
export interface OpenRequest {
  rpcId: number | string;
  kind: 'decision' | 'elicitation' | 'permissions' | 'questions';
  toolCallId: string | null;
  /** What `item/permissions/requestApproval` asked for. */
  permissions: Json | null;
}

/** Of a conversation with the app-server. Plain data: a daemon stores it and goes on. */
export interface AppServerState extends ItemState {
  rpc: RpcState;
  /** How the thread is begun: `thread/start`, `thread/resume` or `thread/fork` and its parameters. */
  open: { method: string; params: Json; cwd: string; addDirs: string[]; skillRoots: string[] };
  /** Sent with every turn. */
  everyTurn: Json;
  /** Sent with the next turn, and then in force. */
  nextTurn: Json;
  approvalMode: ApprovalMode;
  agentVersion: string | null;
  threadId: string | null;
  turnId: string | null;
  turn: 'none' | 'asked' | 'running';
  /** Wanted before the turn had an id. */
  interruptDue: boolean;
  steersDue: Json[][];
  interrupted: boolean;
  /** The failure of this turn has been told. */
  failed: boolean;
  retries: number;
  /** The changes of each open patch, by its item: the request for it only names that. */
  patches: Record<string, Json[]>;
  requests: Record<string, OpenRequest>;
  /** The last state of the rate limits that was told, so that it is told when it changes. */
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
