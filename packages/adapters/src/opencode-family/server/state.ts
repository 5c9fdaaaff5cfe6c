import type { ApprovalMode, HttpCall } from '@agent-mux/core';
import type { ModelRef } from '../choices.ts';
import type { FamilyFailure } from '../errors.ts';
import type { PermissionRule } from '../permissions.ts';
import type { SeenTool } from '../tools.ts';

/** A part of a message that is being written. */
interface SeenPart {
  kind: 'text' | 'thinking';
  messageId: string;
  /** Characters emitted so far. */
  emitted: number;
  done: boolean;
}

interface SeenMessage {
  /** Belongs to the session itself, not to a subagent. */
  isMain: boolean;
  done: boolean;
  /** A summary that the agent writes for itself. */
  hidden: boolean;
}

/** Session of a subagent. */
interface ChildSession {
  /** The call that started it, once that is known. */
  toolCallId?: string;
}

export interface FamilyTurn {
  /** Messages of this turn have greater ids. */
  after: string;
  busy: boolean;
  /** An interrupt waits until the server has started, or it would have no effect. */
  abortDue: boolean;
  aborting: boolean;
  /** The native turn has started, if the CLI says so. */
  opened: boolean;
  /** Prompts that wait for the end of the native turn. */
  queued: number;
  /** Number of retries after a broken connection to the model. */
  reconnects: number;
  /** The last message of the session is complete. */
  settled: boolean;
  failure?: FamilyFailure;
  structured?: unknown;
  finish?: string;
}

/** State of the codec; plain data. */
export interface FamilyState {
  directory: string;
  resume?: string;
  fork?: string;
  approvalMode: ApprovalMode;
  /** A native mode is the name of an agent; then no rules of ours are added. */
  agentName?: string;
  withRules: boolean;
  allowedTools: string[];
  deniedTools: string[];
  addDirs: string[];
  model?: ModelRef;
  variant?: string;
  /** The effort that must still be looked up among the variants of the model. */
  variantDue?: string;
  system?: string;
  outputSchema?: Record<string, unknown>;
  mcpServers: string[];
  /** MCP servers to add to an external server and to remove at the end. */
  mcpDue: { name: string; config: Record<string, unknown> }[];
  mcpAdded: string[];

  /** The session works in another folder than the run: its events come on a separate stream. */
  otherFolder?: {
    /** What to do once that stream is open. */
    next: 'rules' | 'history' | 'start' | null;
    /** How often it has broken. */
    breaks: number;
  };

  version?: string;
  sessionId?: string;
  title?: string;
  /** New rules are on their way; a prompt waits for them. */
  rulesDue: boolean;
  heldPrompt?: HttpCall;
  agentRules: PermissionRule[];
  /** Permissions of each subagent without asking. */
  subagents: Record<string, string[]>;
  rules: PermissionRule[];
  lastMessageId: string;
  turn: FamilyTurn | null;
  messages: Record<string, SeenMessage>;
  parts: Record<string, SeenPart>;
  tools: Record<string, SeenTool>;
  children: Record<string, ChildSession>;
  /** Open questions: the number of answers each one needs. */
  questions: Record<string, number>;
}

export function newTurn({ lastMessageId }: FamilyState): FamilyTurn {
  return {
    after: lastMessageId,
    busy: false,
    abortDue: false,
    aborting: false,
    opened: false,
    queued: 0,
    reconnects: 0,
    settled: false,
  };
}

/** State of a turn is dropped with it. */
export function forgetTurn(state: FamilyState): void {
  state.turn = null;
  state.messages = {};
  state.parts = {};
  state.tools = {};
  state.children = {};
}
