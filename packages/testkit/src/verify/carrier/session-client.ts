import type { RunHandle, RunOptions } from '@agent-mux/core';

/** The part of a session row that the cases check. */
export interface SessionRow {
  id: string;
  agentSessionId: string | null;
  activity: string;
  isTerminated: boolean;
  parked: boolean;
  keeperPid: number | null;
  lastSeq: number;
  cwd: string;
  workspace: { kind: string; path: string; branch?: string };
  error: { code: string; message: string } | null;
}

export interface MessageRow {
  id: string;
  text: string;
  state: string;
  error: { code: string; message: string } | null;
}

export interface RequestRow {
  id: string;
  event: Record<string, unknown>;
}

interface SessionEventRow {
  seq: number;
  type: string;
  delta?: string;
}

interface NewSessionBody {
  agent: string;
  cwd: string;
  prompt: string;
  messageId: string;
  options: Record<string, unknown>;
  env: Record<string, string>;
  hostEnv: Record<string, string>;
  worktree?: boolean;
}

/**
 * The part of the daemon's client that the cases use. The testkit does not depend on the package of that client: the
 * caller passes `connect()` in.
 */
export interface SessionClient {
  run(options: RunOptions): RunHandle;
  readonly sessions: {
    list(query?: { cursor?: string }): Promise<{ sessions: SessionRow[]; nextCursor: string | null }>;
    get(id: string): Promise<SessionRow>;
    create(body: NewSessionBody): Promise<SessionRow>;
    update(id: string, patch: { model?: string; approvalMode?: string }): Promise<SessionRow>;
    remove(id: string): Promise<unknown>;
    send(id: string, message: { id: string; text: string }): Promise<MessageRow>;
    messages(id: string): Promise<MessageRow[]>;
    interrupt(id: string): Promise<SessionRow>;
    stop(id: string): Promise<SessionRow>;
    park(id: string): Promise<SessionRow>;
    restore(id: string): Promise<SessionRow>;
    fork(id: string, body: { prompt: string }): Promise<SessionRow>;
    events(id: string, query: { after: number; limit?: number }): Promise<{ events: readonly SessionEventRow[] }>;
  };
  readonly requests: {
    list(query: { state: 'open'; sessionId: string }): Promise<{ requests: RequestRow[] }>;
    answer(id: string, answer: { decision: 'allow' } | { decision: 'deny' }): Promise<unknown>;
  };
  close(): Promise<void>;
}

export type ConnectDaemon = (options: { env: NodeJS.ProcessEnv; start: false }) => SessionClient;
