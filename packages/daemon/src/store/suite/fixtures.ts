import type { SessionLimit } from '@agent-mux/api';
import type { Commit, StoredMessage, StoredRequest, StoredSession } from '../store.ts';

/** Noon of an arbitrary day. */
export const NOON = 1_763_294_400_000;

export function createSession(id: string, overrides: Partial<StoredSession> = {}): StoredSession {
  return {
    id,
    agent: 'demo',
    mode: null,
    agentSessionId: null,
    title: null,
    summary: null,
    activity: 'idle',
    activitySince: NOON,
    isTerminated: false,
    parked: false,
    origin: 'daemon',
    pinned: false,
    cwd: '/home/user/project',
    workspace: { kind: 'folder', path: '/home/user/project' },
    model: null,
    approvalMode: 'prompt',
    options: {},
    envNames: [],
    trustProject: false,
    launch: 1,
    launchSeq: 0,
    keeperPid: null,
    lastSeq: -1,
    turns: 0,
    usage: null,
    costUsd: null,
    costSource: null,
    limit: null,
    waitingFor: null,
    onLimit: 'pause',
    budget: null,
    account: null,
    error: null,
    dismissed: null,
    statusText: null,
    forkedFrom: null,
    tags: [],
    metadata: {},
    createdAt: NOON,
    updatedAt: NOON,
    lastActiveAt: NOON,
    ...overrides,
  };
}

export function createLimit(id: string, overrides: Partial<SessionLimit> = {}): SessionLimit {
  return {
    id,
    kind: 'usage',
    message: 'come back later',
    resetsAt: NOON + 5,
    since: NOON,
    messageId: null,
    hadOutput: false,
    state: 'paused',
    reason: null,
    continuesAt: null,
    ...overrides,
  };
}

export function createMessage(sessionId: string, id: string, overrides: Partial<StoredMessage> = {}): StoredMessage {
  return {
    id,
    sessionId,
    text: `the text of ${id}`,
    files: [],
    mode: 'queue',
    state: 'queued',
    error: null,
    by: 'a test',
    createdAt: NOON,
    acceptedAt: null,
    endedAt: null,
    ...overrides,
  };
}

export function createRequest(sessionId: string, id: string, overrides: Partial<StoredRequest> = {}): StoredRequest {
  return {
    id,
    sessionId,
    agent: 'demo',
    launch: 1,
    agentRequestId: `native-${id}`,
    kind: 'approval',
    event: { type: 'approval_request', toolName: 'shell' },
    state: 'open',
    outcome: null,
    by: null,
    answer: null,
    snoozedUntil: null,
    createdAt: NOON,
    resolvedAt: null,
    ...overrides,
  };
}

export function lineOf(seq: number): string {
  return JSON.stringify({ type: 'text_delta', seq, timestamp: NOON + seq, delta: `word ${seq} äöü` });
}

export function linesOf(from: number, to: number): { seq: number; line: string }[] {
  return Array.from({ length: to - from + 1 }, (_, at) => ({ seq: from + at, line: lineOf(from + at) }));
}

/** A batch with all events from one seq to another. */
export function createCommit(sessionId: string, from: number, to: number, overrides: Partial<Commit> = {}): Commit {
  return {
    sessionId,
    from,
    to,
    lines: linesOf(from, to),
    session: {},
    requests: [],
    requestChanges: [],
    messageChanges: [],
    usage: [],
    now: NOON,
    ...overrides,
  };
}
