import type { SessionLimit } from '@agent-mux/api';
import type { Commit, StoredMessage, StoredRequest, StoredSession } from '../store.ts';

/** Noon of a day that means nothing. */
export const NOON = 1_763_294_400_000;

export function makeSession(id: string, given: Partial<StoredSession> = {}): StoredSession {
  return {
    id,
    agent: 'demo',
    mode: null,
    nativeId: null,
    title: null,
    summary: null,
    activity: 'idle',
    activitySince: NOON,
    isTerminated: false,
    parked: false,
    origin: 'daemon',
    pinned: false,
    cwd: '/home/somebody/project',
    workspace: { kind: 'folder', path: '/home/somebody/project' },
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
    waitsFor: null,
    onLimit: 'stop',
    budget: null,
    account: null,
    error: null,
    dismissed: null,
    lastLine: null,
    forkedFrom: null,
    tags: [],
    metadata: {},
    createdAt: NOON,
    updatedAt: NOON,
    lastActiveAt: NOON,
    ...given,
  };
}

export function makeLimit(id: string, given: Partial<SessionLimit> = {}): SessionLimit {
  return {
    id,
    kind: 'usage',
    message: 'come back later',
    resetsAt: NOON + 5,
    since: NOON,
    messageId: null,
    showed: false,
    state: 'stopped',
    reason: null,
    continuesAt: null,
    ...given,
  };
}

export function makeMessage(sessionId: string, id: string, given: Partial<StoredMessage> = {}): StoredMessage {
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
    ...given,
  };
}

export function makeRequest(sessionId: string, id: string, given: Partial<StoredRequest> = {}): StoredRequest {
  return {
    id,
    sessionId,
    agent: 'demo',
    launch: 1,
    requestId: `native-${id}`,
    kind: 'approval',
    event: { type: 'approval_request', toolName: 'shell' },
    state: 'open',
    outcome: null,
    by: null,
    answer: null,
    laterUntil: null,
    createdAt: NOON,
    resolvedAt: null,
    ...given,
  };
}

export function lineOf(seq: number): string {
  return JSON.stringify({ type: 'text_delta', seq, timestamp: NOON + seq, delta: `word ${seq} äöü` });
}

export function linesOf(from: number, to: number): { seq: number; line: string }[] {
  return Array.from({ length: to - from + 1 }, (_, at) => ({ seq: from + at, line: lineOf(from + at) }));
}

/** A delivery of all events from one seq to another. */
export function makeCommit(sessionId: string, from: number, to: number, given: Partial<Commit> = {}): Commit {
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
    ...given,
  };
}
