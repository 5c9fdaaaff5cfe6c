import type { Answer } from '@agent-mux/api';

/**
 * What is said between a daemon and a keeper: one JSON text per line over the keeper's socket. As small as it can be, and
 * versioned, since a keeper runs the code that it was started with until it is parked.
 */
export const PROTOCOL_VERSION = 3;
/** A daemon also speaks to keepers of older versions. */
export const OLDEST_PROTOCOL = 1;

/** What makes a launch. Handed over on the keeper's stdin or its socket, and written nowhere: it holds values of variables. */
export interface Launch {
  sessionId: string;
  /** The session's folder, with its journal. */
  folder: string;
  /** Which launch of the session it is, from 1. */
  launch: number;
  runId: string;
  /** The seq of its first event. */
  firstSeq: number;
  agent: string;
  /** Run options as they were stored, with `cwd`, and `sessionId` or `forkSessionId` where it goes on. */
  options: Record<string, unknown>;
  trustProject: boolean;
  /** Variables for the agent (`RunOptions.env`). */
  env: Record<string, string>;
  /** The environment that the allow-list chooses from. */
  hostEnv: Record<string, string>;
  message: Delivery;
  limits: LaunchLimits;
  /** Where the agent tells anything else when it goes on, the launch ends, if it can before the message reaches it. */
  expected?: Expected;
  /** Sessions of one group may be held by one keeper, since their agent serves them with one process. Absent: it is held alone. */
  group?: string | null;
}

export interface Delivery {
  messageId: string;
  text: string;
  /** Files of this machine. */
  attachments: readonly { path: string; name: string; mimeType?: string }[];
}

/** What the agent has told of itself before, in its own words. */
export interface Expected {
  model?: string;
  /** Further names that the agent used for that model: an alias and what it stands for are the same model. */
  modelNames?: readonly string[];
  permissionMode?: string;
}

interface LaunchLimits {
  /** Of journaled events in all; then the run is aborted. 0: none. */
  maxOutputBytes: number;
  /** A string longer than this is put into the blob store, with a preview in its place. */
  inlineChars: number;
  /** False: nothing that is said in the session is journaled. Absent from a daemon of an older version: it is. */
  storeContent?: boolean;
  /** Maximum time from the start of the agent to its open session. Absent from a daemon of an older version. */
  handshakeMs?: number;
}

/** From the daemon. Every order has an answer of the same `id`. */
export type Order =
  /** The first word. `after`: the last seq of each session that the daemon has. */
  | { type: 'hello'; id: number; protocol: number; after: Record<string, number> }
  | { type: 'open'; id: number; launch: Launch; after: number }
  | { type: 'send'; id: number; sessionId: string; message: Delivery }
  | { type: 'steer'; id: number; sessionId: string; message: Delivery }
  | { type: 'interrupt'; id: number; sessionId: string }
  | { type: 'answer'; id: number; sessionId: string; requestId: string; answer: Answer }
  | { type: 'set'; id: number; sessionId: string; model?: string; approvalMode?: string }
  /** Ends when the running turn has ended (`park`), or at once (`abort`). */
  | { type: 'end'; id: number; sessionId: string; how: 'park' | 'abort'; reason?: string };

/** Needs no answer: all up to here is safe with the daemon. */
export interface Acknowledgement {
  type: 'ack';
  sessionId: string;
  seq: number;
}

export type FromKeeper =
  | { type: 'reply'; id: number; ok: true; value?: unknown }
  | { type: 'reply'; id: number; ok: false; error: { code: string; message: string; hint?: string } }
  /** Lines of the journal, in order; `lines` are SessionEvents as they stand there. `launch`: since version 3. */
  | { type: 'events'; sessionId: string; launch?: number; from: number; lines: readonly string[] }
  /**
   * The run of this session has ended; its journal is complete up to `lastSeq`. Since version 3 it carries `launch`, and the keeper
   * has freed the session's folder before: the next launch never meets this one.
   */
  | { type: 'ended'; sessionId: string; launch?: number; lastSeq: number }
  /** The journal cannot be written at the moment: the agent waits. `null`: it can again. */
  | { type: 'trouble'; sessionId: string; launch?: number; problem: string | null };

/** The value of the reply to `hello`. */
export interface Welcome {
  protocol: number;
  version: string;
  pid: number;
  sessions: readonly HeldSession[];
}

export interface HeldSession {
  sessionId: string;
  launch: number;
  runId: string;
  lastSeq: number;
  /** Ids of messages that were accepted, so that none is taken for a new one. */
  accepted: readonly string[];
  phase: 'opening' | 'turn' | 'idle' | 'ended';
  /** Open requests of the agent. */
  pending: readonly string[];
}

/** `keeper.json` in the keeper's folder: how it is found again. Written when the socket listens. */
export interface KeeperRecord {
  schema: 'agent-mux.keeper/1';
  protocol: number;
  version: string;
  pid: number;
  /** Opaque; with the pid it names one process for ever. */
  startTime: string;
  socket: string;
  /** With which every process that it starts is marked; since version 2. */
  mark?: string;
  /** What it may hold further sessions of; null: it holds one. */
  group: string | null;
}
