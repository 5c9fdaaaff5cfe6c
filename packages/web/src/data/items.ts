import type { SessionEvent } from '@agent-mux/api/browser';

type EventOf<Type extends SessionEvent['type']> = Extract<SessionEvent, { type: Type }>;
export type ToolKind = EventOf<'tool_result'>['kind'];
export type ApprovalEvent = EventOf<'approval_request'>;
export type QuestionEvent = EventOf<'input_required'>;
export type PlanEntry = EventOf<'plan_update'>['entries'][number];
type TurnStatus = EventOf<'turn_end'>['status'];

/** Fields of every conversation item. `key` is unique and stable; `seq` is that of the item's first event. */
interface Base {
  key: string;
  seq: number;
  time: number;
  /** The session that the item comes from, if inherited by a fork. */
  from?: string;
}

export interface UserItem extends Base {
  kind: 'user';
  messageId: string;
  text: string;
  attachments: readonly { name: string; mimeType: string }[];
  delivery: 'turn' | 'steer';
}

interface TextItem extends Base {
  kind: 'text';
  text: string;
  /** True while more text may follow. */
  isOpen: boolean;
}

export interface ThinkingItem extends Base {
  kind: 'thinking';
  text: string;
  isOpen: boolean;
  endedAt: number | null;
}

export interface FileChange {
  path: string;
  change: 'create' | 'update' | 'delete';
  diff?: string;
}

/** An approval or question in the conversation. The answerable row is found by `requestId`. */
export interface ToolRequest {
  requestId: string;
  event: ApprovalEvent | QuestionEvent;
  outcome: 'allowed' | 'denied' | 'answered' | 'declined' | 'cancelled' | null;
  by: string | null;
}

export interface ToolItem extends Base {
  kind: 'tool';
  toolCallId: string;
  name: string;
  /** Server name of an MCP tool. */
  server: string | null;
  toolKind: ToolKind;
  /** Undefined until the input is complete. */
  input: unknown;
  /** The input received so far, as JSON text. */
  partialInput: string;
  output: unknown;
  /** Output received while the tool runs. */
  liveOutput: string;
  error: string | null;
  exitCode: number | null;
  status: 'running' | 'done' | 'failed' | 'denied' | 'unfinished';
  endedAt: number | null;
  changes: readonly FileChange[];
  request: ToolRequest | null;
  subagent: { name: string | null; prompt: string | null; status: string; summary: string | null } | null;
  /** Items of the tool call's subagent. */
  children: readonly Item[];
}

interface PlanItem extends Base {
  kind: 'plan';
  entries: readonly PlanEntry[];
}

interface RequestItem extends Base {
  kind: 'request';
  request: ToolRequest;
}

export interface ErrorItem extends Base {
  kind: 'error';
  tone: 'error' | 'warning';
  title: string;
  message: string;
  hint: string | null;
  /** Last lines of stderr. */
  detail: string | null;
}

/** A short note: session resumed, context compacted, ... */
interface NoteItem extends Base {
  kind: 'note';
  text: string;
}

/** Marks where the conversation of a fork's parent starts and ends; `removed`: the parent was deleted. */
export interface ForkItem extends Base {
  kind: 'fork';
  parentId: string;
  position: 'start' | 'end' | 'removed';
}

interface FileItem extends Base {
  kind: 'file';
  path: string | null;
  name: string;
  mimeType: string | null;
  /** Image data. */
  base64: string | null;
}

export interface TurnItem extends Base {
  kind: 'turn';
  status: TurnStatus;
  durationMs: number;
  costUsd: number | null;
  isEstimated: boolean;
}

export type Item =
  | UserItem
  | TextItem
  | ThinkingItem
  | ToolItem
  | PlanItem
  | RequestItem
  | ErrorItem
  | NoteItem
  | FileItem
  | ForkItem
  | TurnItem;
