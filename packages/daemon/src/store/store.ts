import type { Message, Request, Session, SessionQuery } from '@agent-mux/api';
import type { TokenUsage } from '@agent-mux/core';

/**
 * Stores sessions, events, messages, requests, usage and the audit log. Implemented on SQLite next to this file.
 * Another implementation (PostgreSQL for a hub) is planned, hence promises, batches, and all times passed in.
 * `store-suite.ts` tests any implementation.
 */
export interface Store {
  /** Throws StoreError EXISTS if the id is taken. */
  insertSession(session: StoredSession): Promise<Session>;
  getSession(id: string): Promise<Session | null>;
  /** Sets the given fields. Null if the session does not exist. */
  updateSession(id: string, patch: SessionChange): Promise<Session | null>;
  /** Like `updateSession`, but only if the session's limit is still `limitId` (null: no limit). Null if it is not. */
  updateWithLimit(id: string, limitId: string | null, patch: SessionChange): Promise<Session | null>;
  /**
   * Pinned sessions first, then the newest. The cursor stays valid while rows are added and removed. `nativeIdPrefix`:
   * a prefix of the agent session id.
   */
  listSessions(query: SessionQuery & { nativeIdPrefix?: string }): Promise<Page<Session>>;
  /** Sessions that have not ended or have queued messages, for the start of the daemon. */
  listUnfinished(): Promise<Session[]>;
  /** Also deletes its events, messages, requests and hook record (kind `hooks`). Its usage stays in the totals. */
  deleteSession(id: string): Promise<boolean>;

  /**
   * Stores batches of events and the row changes that follow from them in one transaction. Idempotent: events up to the
   * session's lastSeq are skipped. A batch that starts after lastSeq + 1 throws StoreError GAP. May cover several
   * sessions; removed ones are skipped. `updatedAt` becomes `now` unless the change sets it.
   */
  commit(batches: readonly Commit[]): Promise<void>;
  /** Event lines after a seq, oldest first: at most `limit` lines or about `maxBytes` of text, but at least one. */
  readEvents(sessionId: string, after: number, limit: number, maxBytes?: number): Promise<EventPage>;
  /** Resolves when all earlier commits survive a power loss. */
  sync(): Promise<void>;

  /** Returns the existing row if the id is already used. */
  insertMessage(message: StoredMessage): Promise<{ message: Message; isNew: boolean }>;
  getMessage(sessionId: string, id: string): Promise<Message | null>;
  updateMessage(sessionId: string, id: string, patch: MessageChange): Promise<Message | null>;
  /** Oldest first. */
  listMessages(sessionId: string, states?: readonly Message['state'][]): Promise<Message[]>;

  getRequest(id: string): Promise<Request | null>;
  /** Oldest first. */
  listRequests(query: RequestQuery): Promise<Page<Request>>;
  updateRequest(id: string, patch: RequestChange): Promise<Request | null>;

  /** Rows that changed after a revision, oldest first, each once with its newest content. */
  readChanges(after: number, limit: number): Promise<ChangePage>;
  /** The newest revision. */
  revision(): Promise<number>;

  readUsage(query: UsageQuery): Promise<UsageRow[]>;

  appendAudit(entry: AuditEntry): Promise<void>;
  /** Oldest first. Without `after`, returns the newest entries, of those before `before`. */
  readAudit(query: AuditQuery): Promise<(AuditEntry & { id: number })[]>;

  /**
   * Small records of the daemon, by kind and key: signed-in browsers, delivery ids, supervisor state. Undefined if
   * there is none.
   */
  getRecord(kind: string, key: string): Promise<unknown>;
  putRecord(kind: string, key: string, value: unknown, now: number): Promise<void>;
  deleteRecord(kind: string, key: string): Promise<boolean>;
  listRecords(kind: string): Promise<{ key: string; value: unknown; updatedAt: number }[]>;
  /** Deletes records written before `olderThan` and returns their number. */
  dropRecords(kind: string, olderThan: number): Promise<number>;

  /**
   * Applies a delivery once per key: its row changes and its key, in one transaction. False if it was recorded before
   * and nothing changed.
   */
  recordDelivery(delivery: StoredDelivery): Promise<boolean>;

  /** Deletes old sessions, then the oldest until the size fits. Never deletes a running or pinned session. */
  retain(limits: { olderThan?: number; maxBytes?: number; keep?: readonly string[] }): Promise<{ sessions: string[] }>;
  stats(): Promise<StoreStats>;
  close(): Promise<void>;
}

export type StoredSession = Omit<Session, 'rev' | 'openRequests' | 'queuedMessages'>;
export type SessionChange = Partial<Omit<StoredSession, 'id' | 'createdAt' | 'lastSeq'>> & {
  /** Merged into the existing metadata, since others may add to it concurrently. */
  addMetadata?: Readonly<Record<string, string>>;
};
export interface StoredDelivery {
  key: string;
  now: number;
  /** Undefined if the row exists. */
  insert?: StoredSession;
  update?: { id: string; change: SessionChange };
  record?: { kind: string; key: string; value: unknown };
}
export type StoredMessage = Omit<Message, 'rev'>;
export type MessageChange = Partial<Pick<Message, 'state' | 'text' | 'error' | 'acceptedAt' | 'endedAt'>>;
export type StoredRequest = Omit<Request, 'rev'>;
export type RequestChange = Partial<
  Pick<Request, 'state' | 'outcome' | 'by' | 'answer' | 'snoozedUntil' | 'resolvedAt'>
>;

export interface Page<Row> {
  rows: Row[];
  nextCursor: string | null;
}

export interface EventPage {
  /** One JSON document each, without a newline. */
  lines: string[];
  /** Seq of the last line; `after` if there is none. */
  lastSeq: number;
  /** More events follow. */
  hasMore: boolean;
}

export interface Commit {
  sessionId: string;
  /** Seqs of the first and last event. `lines` may be fewer if content is not stored. */
  from: number;
  to: number;
  lines: readonly { seq: number; line: string }[];
  session: SessionChange;
  requests: readonly StoredRequest[];
  requestChanges: readonly { id: string; change: RequestChange }[];
  messageChanges: readonly { id: string; change: MessageChange }[];
  usage: readonly UsageDelta[];
  now: number;
}

export interface UsageDelta {
  /** `2026-11-16`, in the machine's time zone. */
  day: string;
  agent: string;
  model: string;
  project: string;
  usage: TokenUsage;
  /** Null: unknown. */
  costUsd: number | null;
  estimated: boolean;
  /** Seq of the event that reported it, so that a stored event is not counted again. */
  seq?: number;
}

export interface UsageQuery {
  by: 'day' | 'agent' | 'model' | 'project' | 'session';
  from?: string;
  to?: string;
  agent?: string;
  project?: string;
  sessionId?: string;
}

export interface UsageRow {
  key: string;
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheCreationTokens: number;
  /** Sum of the known costs. */
  costUsd: number;
  /** The part that is estimated from list prices. */
  estimatedUsd: number;
  /** Number of calls with unknown cost. */
  unpricedCalls: number;
}

export interface RequestQuery {
  sessionId?: string;
  state?: Request['state'];
  /** Prefix of the id. */
  id?: string;
  cursor?: string;
  limit: number;
}

export type Change =
  | { kind: 'session'; id: string; rev: number; value: Session | null }
  | { kind: 'request'; id: string; rev: number; value: Request | null }
  | { kind: 'message'; id: string; sessionId: string; rev: number; value: Message | null };

export interface ChangePage {
  changes: Change[];
  /** Continue from here. */
  lastRev: number;
  hasMore: boolean;
}

export interface AuditEntry {
  timestamp: number;
  /** A person, a token, a rule or the daemon itself. */
  actor: string;
  /** `request.allow`, `session.stop`, ... */
  action: string;
  sessionId: string | null;
  detail: Record<string, unknown>;
}

export interface AuditQuery {
  sessionId?: string;
  /** Ids of entries. */
  after?: number;
  before?: number;
  limit: number;
}

export interface StoreStats {
  sessions: number;
  events: number;
  bytes: number;
  schemaVersion: number;
}

export type StoreErrorCode = 'EXISTS' | 'GAP' | 'FULL' | 'UNWRITABLE' | 'NEWER' | 'CORRUPT' | 'CURSOR';

/**
 * `EXISTS`: the id is taken. `GAP`: events are missing before a batch. `FULL`: the disk is full. `UNWRITABLE`: the disk
 * is read-only or broken, or no file can be opened. After these two the same call may succeed later. `NEWER`: written
 * by a newer version. `CORRUPT`: not a readable store. `CURSOR`: not a cursor of this list.
 */
export class StoreError extends Error {
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StoreError';
    this.code = code;
  }
}

/** The store could not be written for a reason that may be temporary. */
export function isPassing(error: unknown): error is StoreError {
  return error instanceof StoreError && (error.code === 'FULL' || error.code === 'UNWRITABLE');
}
