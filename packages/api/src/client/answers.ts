import type { SessionEvent } from '../events.ts';
import type { Message } from '../schemas/message.ts';
import type { Request } from '../schemas/request.ts';
import type { Session } from '../schemas/session.ts';

/** What the routes answer that is no row of its own. */

export interface EventPage {
  events: SessionEvent[];
  /** To go on from. */
  last: number;
  more: boolean;
}

export type Change =
  | { kind: 'session'; id: string; rev: number; value: Session | null }
  | { kind: 'request'; id: string; rev: number; value: Request | null }
  | { kind: 'message'; id: string; sessionId: string; rev: number; value: Message | null };

export interface ChangePage {
  changes: Change[];
  last: number;
  more: boolean;
}

/** All that waits for a person. */
export interface Inbox {
  requests: Request[];
  limits: Session[];
  failures: Session[];
}

export interface StoredFile {
  id: string;
  name: string;
  mimeType: string;
  bytes: number;
}

export interface TreeEntry {
  name: string;
  path: string;
  kind: 'file' | 'folder' | 'link' | 'other';
  /** Of a file. */
  bytes: number | null;
  modifiedAt: number | null;
}

export interface FileDiff {
  path: string;
  /** Of what was moved. */
  oldPath: string | null;
  status: 'added' | 'modified' | 'deleted' | 'renamed' | 'type-changed' | 'unmerged';
  /** Lines; null where it is not text. */
  added: number | null;
  removed: number | null;
  /** Null where it is not text, or would be too long. */
  patch: string | null;
}

export interface WorkspaceDiff {
  /** The commit that is compared with; null: there is none yet. */
  base: string | null;
  files: FileDiff[];
  /** There is more than is shown. */
  truncated: boolean;
}

export interface UsageRow {
  key: string;
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheCreationTokens: number;
  costUsd: number;
  estimatedUsd: number;
  unknownCosts: number;
}

export interface AuditEntry {
  id: number;
  time: number;
  who: string;
  action: string;
  sessionId: string | null;
  detail: Record<string, unknown>;
}

/** A browser that was signed in with a link. */
export interface Browser {
  id: string;
  name: string;
  createdAt: number;
  lastSeenAt: number;
  expiresAt: number;
  current: boolean;
}

export interface Health {
  status: string;
  version: string;
  pid: number;
  startedAt: number;
}

export interface Ready {
  ready: boolean;
  waitsFor: string[];
}

/** Of agents and stored sessions: as the SDK has them (`adapters.list()`, `sessions.list()`). */
export type Facts = Record<string, unknown>;
