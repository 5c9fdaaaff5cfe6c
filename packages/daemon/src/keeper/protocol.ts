import type { Answer } from '@agent-mux/api';

/**
 * Protocol between daemon and keeper: JSON lines over the keeper's socket. Minimal and versioned, since a keeper runs
 * the code that it was started with until it is parked.
 */
export const PROTOCOL_VERSION = 3;
/** The oldest protocol version that a daemon supports. */
export const OLDEST_PROTOCOL = 1;

/** Input of a launch. Sent over the keeper's stdin or socket and never written to disk: it contains variable values. */
export interface LaunchSpec {
  sessionId: string;
  /** The session's folder, with its journal. */
  folder: string;
  /** Number of the launch within the session, from 1. */
  launch: number;
  runId: string;
  /** Seq of its first event. */
  firstSeq: number;
  agent: string;
  /** Stored run options, with `cwd`, and with `sessionId` or `forkSessionId` when resuming. */
  options: Record<string, unknown>;
  trustProject: boolean;
  /** Variables for the agent (`RunOptions.env`). */
  env: Record<string, string>;
  /** The environment to which the allow-list is applied. */
  hostEnv: Record<string, string>;
  message: OutgoingMessage;
  limits: LaunchLimits;
  /** If the resumed agent reports something else, the launch ends, before the message is delivered where possible. */
  expected?: ExpectedIdentity;
  /** Sessions of one group may share a keeper, since their agent serves them with one process. Absent: not shared. */
  group?: string | null;
}

export interface OutgoingMessage {
  messageId: string;
  text: string;
  /** Files on this machine. */
  attachments: readonly { path: string; name: string; mimeType?: string }[];
}

/** What the agent reported before, verbatim. */
export interface ExpectedIdentity {
  model?: string;
  /** Other names that the agent used for the same model, such as an alias. */
  modelNames?: readonly string[];
  permissionMode?: string;
}

interface LaunchLimits {
  /** Total size of journaled events after which the run is aborted. 0: no limit. */
  maxOutputBytes: number;
  /** Longer strings go to the blob store and are replaced by a preview. */
  maxInlineChars: number;
  /** False: the content of the session is not journaled. Older daemons do not send it: true. */
  storeContent?: boolean;
  /** Maximum time from the start of the agent to its open session. Older daemons do not send it. */
  handshakeMs?: number;
}

/** Requests of the daemon. Every request gets a reply with the same `id`. */
export type KeeperRequest =
  /** The first request. `after`: the last seq of each session that the daemon has. */
  | { type: 'hello'; id: number; protocol: number; after: Record<string, number> }
  | { type: 'open'; id: number; launch: LaunchSpec; after: number }
  | { type: 'send'; id: number; sessionId: string; message: OutgoingMessage }
  | { type: 'steer'; id: number; sessionId: string; message: OutgoingMessage }
  | { type: 'interrupt'; id: number; sessionId: string }
  | { type: 'answer'; id: number; sessionId: string; requestId: string; answer: Answer }
  | { type: 'set'; id: number; sessionId: string; model?: string; approvalMode?: string }
  /** Ends after the running turn (`park`) or immediately (`abort`). */
  | { type: 'end'; id: number; sessionId: string; how: 'park' | 'abort'; reason?: string };

/** Not replied to. The daemon has stored all events up to `seq`. */
export interface KeeperAck {
  type: 'ack';
  sessionId: string;
  seq: number;
}

export type KeeperMessage =
  | { type: 'reply'; id: number; ok: true; value?: unknown }
  | { type: 'reply'; id: number; ok: false; error: { code: string; message: string; hint?: string } }
  /** Journal lines in order, each a SessionEvent as JSON. `launch`: since version 3. */
  | { type: 'events'; sessionId: string; launch?: number; from: number; lines: readonly string[] }
  /**
   * The run of this session has ended; its journal is complete up to `lastSeq`. Since version 3 it carries `launch`,
   * and the keeper has released the session's folder by then, so the next launch can claim it.
   */
  | { type: 'ended'; sessionId: string; launch?: number; lastSeq: number }
  /** The journal cannot be written and the agent is held back. `null`: it can be written again. */
  | { type: 'storage_error'; sessionId: string; launch?: number; problem: string | null };

/** The value of the reply to `hello`. */
export interface HelloReply {
  protocol: number;
  version: string;
  pid: number;
  sessions: readonly KeeperSessionInfo[];
}

export interface KeeperSessionInfo {
  sessionId: string;
  launch: number;
  runId: string;
  lastSeq: number;
  /** Ids of accepted messages, to detect duplicates. */
  accepted: readonly string[];
  phase: 'opening' | 'turn' | 'idle' | 'ended';
  /** Ids of the agent's open requests. */
  pending: readonly string[];
}

/** `keeper.json` in the keeper's folder, by which daemons find it. Written once the socket listens. */
export interface KeeperRecord {
  schema: 'agent-mux.keeper/1';
  protocol: number;
  version: string;
  pid: number;
  /** Opaque; together with the pid it identifies the process uniquely. */
  startTime: string;
  socket: string;
  /** Marks every process that the keeper starts. Since version 2. */
  mark?: string;
  /** Share group whose sessions it may hold; null: it holds one session. */
  group: string | null;
}
