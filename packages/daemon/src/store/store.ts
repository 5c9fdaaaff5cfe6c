import type { Message, Request, Session, SessionQuery } from '@agent-mux/api';
import type { TokenUsage } from '@agent-mux/core';

/**
 * Where sessions, events, messages, requests, usage and audit are kept. One implementation on SQLite stands beside this file; a
 * hub's on PostgreSQL will be a second one, hence promises, batches, and no clock of its own: every time is passed in.
 * `store-suite.ts` says what any implementation must do.
 */
export interface Store {
  /** Throws StoreError TAKEN where there is such a row. */
  insertSession(session: StoredSession): Promise<Session>;
  getSession(id: string): Promise<Session | null>;
  /** Sets the given fields. Null: there is no such session. */
  updateSession(id: string, patch: SessionChange): Promise<Session | null>;
  /** The same, where the session's limit is still this one (null: it has none); null where it is not. */
  updateWithLimit(id: string, limitId: string | null, patch: SessionChange): Promise<Session | null>;
  /** Pinned ones first, then the newest. The cursor stays valid while rows come and go. */
  /** `nativeIdPrefix`: a prefix of the agent's own session id. */
  listSessions(query: SessionQuery & { nativeIdPrefix?: string }): Promise<Page<Session>>;
  /** All that have not ended or have something queued, for the start of the daemon. */
  listUnfinished(): Promise<Session[]>;
  /** With its events, messages, requests and what its hooks told (records `hooks` of its id); usage is left as sums. */
  deleteSession(id: string): Promise<boolean>;

  /**
   * Everything that a batch of events means, in one transaction: the events, and the rows that they change. What is already
   * there (`to` up to the session's lastSeq) is left out, so that a repeated delivery changes nothing; a batch that begins
   * behind lastSeq + 1 throws StoreError GAP. Several sessions may be committed at once; one that is not there (it was removed
   * meanwhile) is left out. `updatedAt` becomes `now` where the change names no other time.
   */
  commit(batches: readonly Commit[]): Promise<void>;
  /** The lines of events after a seq, oldest first: at most `limit` of them or about `maxBytes` of text, at least one. */
  readEvents(sessionId: string, after: number, limit: number, maxBytes?: number): Promise<EventPage>;
  /** Resolves when all that was committed before survives a loss of power. */
  sync(): Promise<void>;

  /** The row that is there, where the id was used before. */
  insertMessage(message: StoredMessage): Promise<{ message: Message; isNew: boolean }>;
  getMessage(sessionId: string, id: string): Promise<Message | null>;
  updateMessage(sessionId: string, id: string, patch: MessageChange): Promise<Message | null>;
  /** Oldest first. */
  listMessages(sessionId: string, states?: readonly Message['state'][]): Promise<Message[]>;

  getRequest(id: string): Promise<Request | null>;
  /** Oldest first. */
  listRequests(query: RequestQuery): Promise<Page<Request>>;
  updateRequest(id: string, patch: RequestChange): Promise<Request | null>;

  /** All rows that changed after a revision, oldest first, each once with its newest content. */
  readChanges(after: number, limit: number): Promise<ChangePage>;
  /** The newest revision. */
  revision(): Promise<number>;

  readUsage(query: UsageQuery): Promise<UsageRow[]>;

  appendAudit(entry: AuditEntry): Promise<void>;
  /** Oldest first; without `after` the newest ones, of those before `before`. */
  readAudit(query: AuditQuery): Promise<(AuditEntry & { id: number })[]>;

  /**
   * Small facts of the daemon's own, by name: signed-in browsers, remembered deliveries, the state of supervisors. Undefined:
   * there is none.
   */
  getRecord(kind: string, key: string): Promise<unknown>;
  putRecord(kind: string, key: string, value: unknown, now: number): Promise<void>;
  deleteRecord(kind: string, key: string): Promise<boolean>;
  listRecords(kind: string): Promise<{ key: string; value: unknown; updatedAt: number }[]>;
  /** Those that were written before. Returns how many. */
  dropRecords(kind: string, olderThan: number): Promise<number>;

  /**
   * What somebody delivers, once for each key: the rows that it makes or changes, and the memory of it, in one transaction.
   * False: it was taken before, and nothing has changed.
   */
  takeDelivery(delivery: StoredDelivery): Promise<boolean>;

  /** Drops what is older, and then the oldest until all fits. Never a session that has not ended, or is pinned. */
  retain(limits: { olderThan?: number; maxBytes?: number; keep?: readonly string[] }): Promise<{ sessions: string[] }>;
  stats(): Promise<StoreStats>;
  close(): Promise<void>;
}

export type StoredSession = Omit<Session, 'rev' | 'openRequests' | 'queuedMessages'>;
export type SessionChange = Partial<Omit<StoredSession, 'id' | 'createdAt' | 'lastSeq'>> & {
  /** Beside what is there: others may add to it at the same time. */
  addMetadata?: Readonly<Record<string, string>>;
};
export interface StoredDelivery {
  key: string;
  now: number;
  /** Undefined: there is such a row. */
  insert?: StoredSession;
  update?: { id: string; change: SessionChange };
  record?: { kind: string; key: string; value: unknown };
}
export type StoredMessage = Omit<Message, 'rev'>;
export type MessageChange = Partial<Pick<Message, 'state' | 'text' | 'error' | 'acceptedAt' | 'endedAt'>>;
export type StoredRequest = Omit<Request, 'rev'>;
export type RequestChange = Partial<Pick<Request, 'state' | 'outcome' | 'by' | 'answer' | 'laterUntil' | 'resolvedAt'>>;

export interface Page<Row> {
  rows: Row[];
  cursor: string | null;
}

export interface EventPage {
  /** One JSON text each, without a newline. */
  lines: string[];
  /** Of the last line; `after` where there is none. */
  last: number;
  /** There is more behind it. */
  more: boolean;
}

export interface Commit {
  sessionId: string;
  /** Of the first and last event of the delivery; `lines` may be fewer where live activity is not stored. */
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
  /** Null: not known. */
  costUsd: number | null;
  estimated: boolean;
  /** Of the event that told it: where that is already there, it is not counted again. */
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
  /** Of what is known. */
  costUsd: number;
  /** A part of it is estimated from list prices. */
  estimatedUsd: number;
  /** So many calls had no known cost. */
  unknownCosts: number;
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
  /** To go on from. */
  last: number;
  more: boolean;
}

export interface AuditEntry {
  time: number;
  /** A person, a token, a rule, the daemon itself. */
  who: string;
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

export type StoreErrorCode = 'TAKEN' | 'GAP' | 'FULL' | 'UNWRITABLE' | 'NEWER' | 'BROKEN' | 'CURSOR';

/**
 * `FULL`: no room on the disk. `UNWRITABLE`: the disk is read-only or broken, or no file can be opened. After both the same call may succeed later. `NEWER`: written by a newer version. `CURSOR`: not one of this list.
 */
export class StoreError extends Error {
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StoreError';
    this.code = code;
  }
}

/** The store could not be written, for a reason that may pass. */
export function isPassing(error: unknown): error is StoreError {
  return error instanceof StoreError && (error.code === 'FULL' || error.code === 'UNWRITABLE');
}
