/** What can be asked about the stored sessions of all agents at once. */
import type { TokenUsage } from './events.ts';
import type { Session, SessionMessage } from './sessions.ts';

export interface SessionSummary {
  agent: string;
  sessionId: string;
  title?: string;
  /** The beginning of the first prompt. */
  firstPrompt?: string;
  cwd?: string;
  model?: string;
  createdAt?: number;
  updatedAt?: number;
  parentSessionId?: string;
  messageCount: number;
  toolCallCount: number;
  usage: TokenUsage | null;
  /** Null: not known. */
  costUsd: number | null;
  /** `estimated`: some of it was not reported and is taken from the prices of the models. */
  costSource: 'reported' | 'estimated' | null;
  path: string;
  /** Which one, in a file that holds several. */
  key?: string;
  /** What could not be read of it. */
  faults?: readonly string[];
}

/** Something of a store that could not be read; the rest was. */
export interface SessionProblem {
  /** Absent: it concerns the index itself, and with it every agent. */
  agent?: string;
  path: string;
  key?: string;
  problem: string;
}

/** Epoch milliseconds, a `Date`, a date (`2026-01-31`, `2026-01-31T09:30`), or how long ago (`36h`, `7d`). */
export type SessionTime = number | Date | string;

export interface SessionFilter {
  /** Their names; none of them: all. */
  agents?: readonly string[];
  /** Sessions of this folder and of those below it. */
  cwd?: string;
  /** Last active at or after this time. */
  since?: SessionTime;
  /** Last active before this time. */
  until?: SessionTime;
  /** A part of the model's name, in any case. */
  model?: string;
  limit?: number;
}

export interface SessionQuery extends SessionFilter {
  /** Told while sessions are read that are new or have changed. */
  onProgress?: (done: number, total: number) => void;
}

export interface SessionList {
  /** The newest first. */
  sessions: SessionSummary[];
  /** How many there are without the limit. */
  total: number;
  problems: SessionProblem[];
}

export interface SessionHit {
  session: SessionSummary;
  /** Around the words that were found, which are marked. */
  snippet: { text: string; match: boolean }[];
}

export interface SessionSearch {
  /** The best first. */
  hits: SessionHit[];
  problems: SessionProblem[];
}

export const SESSION_FORMATS = ['json', 'jsonl', 'markdown', 'html'] as const;
export type SessionFormat = (typeof SESSION_FORMATS)[number];

export const COST_GROUPS = ['agent', 'model', 'day', 'project'] as const;
export type CostGroup = (typeof COST_GROUPS)[number];

/** `since` and `until` choose days, by local time, and not sessions. */
export interface CostQuery extends SessionQuery {
  by: CostGroup;
}

export interface CostRow {
  /** The agent, the model, the day (2026-01-31) or the folder; null where the sessions do not tell. */
  group: string | null;
  sessions: number;
  usage: TokenUsage | null;
  /** Of what is known; null: nothing is. */
  costUsd: number | null;
  /** How much of it was not reported, and is taken from the prices of the models. */
  estimatedUsd: number;
  /** Tokens whose cost nobody knows; they are not part of `costUsd`. */
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

/** One step of a comparison: a message that both have, that only one has, or that has changed. */
export type MessageDiff =
  | { kind: 'same'; message: SessionMessage }
  | { kind: 'removed'; message: SessionMessage }
  | { kind: 'added'; message: SessionMessage }
  | { kind: 'changed'; before: SessionMessage; after: SessionMessage; lines: TextDiffLine[] };

export interface SessionDiff {
  a: SessionSummary;
  b: SessionSummary;
  /** So many messages are the same from the start: there they part. */
  sharedCount: number;
  messages: MessageDiff[];
}

export interface SessionUpdate {
  agent: string;
  sessionId: string;
  /** Its place in the session. */
  index: number;
  message: SessionMessage;
  /** It was told before and now has more: a tool has ended, a text has grown. */
  isUpdate: boolean;
}

/**
 * The stored sessions of every agent. An id is the agent's own, `agent:id`, or the beginning of one that no other session
 * begins with; SESSION_NOT_FOUND says which were near.
 */
export interface SessionCatalog {
  /** The newest first. Only what has changed since the last time is read. */
  list(query?: SessionQuery): Promise<SessionList>;
  /** All of one: messages, tool calls, branches. */
  get(id: string): Promise<Session>;
  /** What `list` tells of one. */
  summary(id: string): Promise<SessionSummary>;
  /** All words must occur; the last one may be a beginning; "words in quotes" stand together. */
  search(words: string, query?: SessionQuery): Promise<SessionSearch>;
  /** A text of one, for people or programs. */
  export(id: string, format: SessionFormat): Promise<string>;
  /** Tokens and money, by agent, model, day or project. */
  costs(query: CostQuery): Promise<SessionCosts>;
  /** What two share, and where they part. */
  diff(a: string, b: string): Promise<SessionDiff>;
  /** What is said from now on, until the signal is aborted. */
  watch(what: string | SessionFilter, options?: { signal?: AbortSignal }): AsyncIterable<SessionUpdate>;
  /** Deletes one for ever. CAPABILITY_ERROR where the agent's store does not allow it. */
  delete(id: string): Promise<SessionSummary>;
}
