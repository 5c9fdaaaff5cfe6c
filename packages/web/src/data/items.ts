import type { SessionEvent } from '@agent-mux/api/browser';

type EventOf<Type extends SessionEvent['type']> = Extract<SessionEvent, { type: Type }>;
export type ToolKind = EventOf<'tool_result'>['kind'];
export type ApprovalEvent = EventOf<'approval_request'>;
export type QuestionEvent = EventOf<'input_required'>;
export type PlanEntry = EventOf<'plan_update'>['entries'][number];
type TurnStatus = EventOf<'turn_end'>['status'];

/** What every item of a conversation has. `key` is its own for good; `seq` of the event that began it. */
interface Base {
  key: string;
  seq: number;
  time: number;
  /** The session that it is of, where that is another one: a fork has the items of its parent. */
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
  /** More of it may come. */
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

/** An approval or a question, where it was asked. Its row, which is answered, is found by `requestId`. */
export interface Asked {
  requestId: string;
  event: ApprovalEvent | QuestionEvent;
  outcome: 'allowed' | 'denied' | 'answered' | 'declined' | 'cancelled' | null;
  by: string | null;
}

export interface ToolItem extends Base {
  kind: 'tool';
  toolCallId: string;
  name: string;
  /** Of an MCP tool. */
  server: string | null;
  toolKind: ToolKind;
  /** Undefined until it is known whole. */
  input: unknown;
  /** What has come of it, as JSON text. */
  partialInput: string;
  output: unknown;
  /** What the tool prints while it runs. */
  liveOutput: string;
  error: string | null;
  exitCode: number | null;
  status: 'running' | 'done' | 'failed' | 'denied' | 'unfinished';
  endedAt: number | null;
  changes: readonly FileChange[];
  asked: Asked | null;
  subagent: { name: string | null; prompt: string | null; status: string; summary: string | null } | null;
  /** What its subagent said and did. */
  children: readonly Item[];
}

interface PlanItem extends Base {
  kind: 'plan';
  entries: readonly PlanEntry[];
}

interface RequestItem extends Base {
  kind: 'request';
  asked: Asked;
}

export interface TroubleItem extends Base {
  kind: 'trouble';
  tone: 'error' | 'warning';
  title: string;
  message: string;
  /** What to do. */
  remedy: string | null;
  /** The end of what the process wrote. */
  detail: string | null;
}

/** A line between: the session was resumed, the context was summarised, ... */
interface NoteItem extends Base {
  kind: 'note';
  text: string;
}

/** Where the conversation of a fork's parent starts and ends; `removed`: that it cannot be shown. */
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
  /** A picture itself. */
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
  | TroubleItem
  | NoteItem
  | FileItem
  | ForkItem
  | TurnItem;
