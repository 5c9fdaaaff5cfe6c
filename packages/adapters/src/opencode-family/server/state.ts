import type { ApprovalMode, HttpCall } from '@agent-mux/core';
import type { ModelRef } from '../choices.ts';
import type { FamilyFailure } from '../errors.ts';
import type { PermissionRule } from '../permissions.ts';
import type { SeenTool } from '../tools.ts';

/** A part of a message that is being written. */
interface SeenPart {
  kind: 'text' | 'thinking';
  messageId: string;
  /** Characters told so far. */
  told: number;
  done: boolean;
}

interface SeenMessage {
  /** Of the session itself, not of a subagent. */
  isMain: boolean;
  done: boolean;
  /** A summary that the agent writes for itself. */
  hidden: boolean;
}

/** A session that a subagent works in. */
interface ChildSession {
  /** The call that started it, once that is known. */
  toolCallId?: string;
}

export interface FamilyTurn {
  /** Messages of this turn have greater ids. */
  after: string;
  busy: boolean;
  /** An interrupt waits until the server has begun, or it would hit nothing. */
  abortDue: boolean;
  aborting: boolean;
  /** The native turn has begun, where the CLI says so. */
  opened: boolean;
  /** Prompts that wait for the end of the native turn. */
  queued: number;
  /** How often a broken connection to the model was tried again. */
  reconnects: number;
  /** The last message of the session is complete. */
  settled: boolean;
  failure?: FamilyFailure;
  structured?: unknown;
  finish?: string;
}

/** All that the codec knows; plain data. */
export interface FamilyState {
  directory: string;
  resume?: string;
  fork?: string;
  approvalMode: ApprovalMode;
  /** The agent's own word for a mode is the name of an agent; then no rules of ours are laid over it. */
  agentName?: string;
  withRules: boolean;
  allowedTools: string[];
  deniedTools: string[];
  addDirs: string[];
  model?: ModelRef;
  variant?: string;
  /** The effort that is still to be looked up among the variants of the model. */
  variantDue?: string;
  system?: string;
  outputSchema?: Record<string, unknown>;
  mcpServers: string[];
  /** To be added to a server of somebody else, and taken off it at the end. */
  mcpDue: { name: string; config: Record<string, unknown> }[];
  mcpAdded: string[];

  /** The session works in another folder than the run: its events come on a stream of their own. */
  elsewhere?: {
    /** What is still to be done once that stream is open. */
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
  /** What each subagent may do unasked. */
  subagents: Record<string, string[]>;
  rules: PermissionRule[];
  lastMessageId: string;
  turn: FamilyTurn | null;
  messages: Record<string, SeenMessage>;
  parts: Record<string, SeenPart>;
  tools: Record<string, SeenTool>;
  children: Record<string, ChildSession>;
  /** Open questions: how many answers each one wants. */
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

/** What belongs to a turn is forgotten with it. */
export function forgetTurn(state: FamilyState): void {
  state.turn = null;
  state.messages = {};
  state.parts = {};
  state.tools = {};
  state.children = {};
}
