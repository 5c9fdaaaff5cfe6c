/** Queries over the stored sessions of all agents. */
import type { TokenUsage } from './events.ts';
import type { Session, SessionMessage } from './sessions.ts';

export interface SessionSummary {
  agent: string;
  sessionId: string;
  title?: string;
  /** Start of the first prompt. */
  firstPrompt?: string;
  cwd?: string;
  model?: string;
  createdAt?: number;
  updatedAt?: number;
  parentSessionId?: string;
  messageCount: number;
  toolCallCount: number;
  usage: TokenUsage | null;
  /** Null: unknown. */
  costUsd: number | null;
  /** `estimated`: partly not reported, computed from model prices. */
  costSource: 'reported' | 'estimated' | null;
  path: string;
  /** Identifies the session in a file that holds several. */
  key?: string;
  /** Parts of the session that could not be read. */
  warnings?: readonly string[];
}

/** A part of a store that could not be read; the rest was. */
export interface SessionProblem {
  /** Absent: the problem concerns the index itself, and so every agent. */
  agent?: string;
  path: string;
  key?: string;
  problem: string;
}

/** Epoch milliseconds, a `Date`, a date (`2026-01-31`, `2026-01-31T09:30`), or how long ago (`36h`, `7d`). */
export type SessionTime = number | Date | string;

export interface SessionFilter {
  /** Agent names; default: all agents. */
  agents?: readonly string[];
  /** Sessions in this folder or below. */
  cwd?: string;
  /** Last active at or after this time. */
  since?: SessionTime;
  /** Last active before this time. */
  until?: SessionTime;
  /** Part of the model name, case-insensitive. */
  model?: string;
  limit?: number;
}

export interface SessionQuery extends SessionFilter {
  /** Called while new or changed sessions are read. */
  onProgress?: (done: number, total: number) => void;
}

export interface SessionList {
  /** Newest first. */
  sessions: SessionSummary[];
  /** Number of matches without the limit. */
  total: number;
  problems: SessionProblem[];
}

export interface SessionHit {
  session: SessionSummary;
  /** Text around the matches, which are marked. */
  snippet: { text: string; match: boolean }[];
}

export interface SessionSearch {
  /** Best match first. */
  hits: SessionHit[];
  problems: SessionProblem[];
}

export const SESSION_FORMATS = ['json', 'jsonl', 'markdown', 'html'] as const;
export type SessionFormat = (typeof SESSION_FORMATS)[number];

export const COST_GROUPS = ['agent', 'model', 'day', 'project'] as const;
export type CostGroup = (typeof COST_GROUPS)[number];

/** `since` and `until` select days in local time, not sessions. */
export interface CostQuery extends SessionQuery {
  by: CostGroup;
}

export interface CostRow {
  /** The agent, model, day (2026-01-31) or folder; null if the sessions do not report it. */
  group: string | null;
  sessions: number;
  usage: TokenUsage | null;
  /** Sum of the known costs; null: none is known. */
  costUsd: number | null;
  /** Part of `costUsd` computed from model prices instead of reported. */
  estimatedUsd: number;
  /** Tokens without a known cost; not part of `costUsd`. */
  unpricedTokens: number;
}

export interface SessionCosts {
  rows: CostRow[];
  total: CostRow;
  problems: SessionProblem[];
}

export interface TextDiffLine {
  sign: ' ' | '+' | '-';
  text: string;
}

/** One step of a comparison: a message in both sessions, in only one, or changed. */
export type MessageDiff =
  | { kind: 'same'; message: SessionMessage }
  | { kind: 'removed'; message: SessionMessage }
  | { kind: 'added'; message: SessionMessage }
  | { kind: 'changed'; before: SessionMessage; after: SessionMessage; lines: TextDiffLine[] };

export interface SessionDiff {
  a: SessionSummary;
  b: SessionSummary;
  /** Number of identical messages at the start of both sessions. */
  sharedCount: number;
  messages: MessageDiff[];
}

export interface SessionUpdate {
  agent: string;
  sessionId: string;
  /** Position in the session. */
  index: number;
  message: SessionMessage;
  /** An update of a message emitted before: a tool has finished, or text was added. */
  isUpdate: boolean;
}

/**
 * Stored sessions of all agents. An id is the agent's own, `agent:id`, or a unique prefix; SESSION_NOT_FOUND suggests
 * similar ids.
 */
export interface SessionCatalog {
  /** Newest first. Reads only sessions that changed since the last call. */
  list(query?: SessionQuery): Promise<SessionList>;
  /** Reads one session: messages, tool calls, branches. */
  get(id: string): Promise<Session>;
  /** The list entry of one session. */
  summary(id: string): Promise<SessionSummary>;
  /** All words must match; the last one may be a prefix; quoted words match as a phrase. */
  search(words: string, query?: SessionQuery): Promise<SessionSearch>;
  /** Formats a session as text for people or programs. */
  export(id: string, format: SessionFormat): Promise<string>;
  /** Tokens and cost by agent, model, day or project. */
  costs(query: CostQuery): Promise<SessionCosts>;
  /** Compares two sessions. */
  diff(a: string, b: string): Promise<SessionDiff>;
  /** Emits new messages until the signal is aborted. */
  watch(what: string | SessionFilter, options?: { signal?: AbortSignal }): AsyncIterable<SessionUpdate>;
  /** Deletes a session permanently. Throws CAPABILITY_ERROR if the agent's store does not allow it. */
  delete(id: string): Promise<SessionSummary>;
}
