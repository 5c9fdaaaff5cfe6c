import type { Request, Session, SessionLimit } from '@agent-mux/api';

export interface Reply {
  status: number;
  value: unknown;
}

export function problem(status: number, code: string, detail: string): Reply {
  return { status, value: { type: 'about:blank', title: code, status, detail, code } };
}

export function newLimit(given: Partial<SessionLimit> = {}): SessionLimit {
  return {
    ...{ id: 'l1', kind: 'usage', message: 'the limit is reached', resetsAt: Date.now(), since: Date.now() },
    ...{ messageId: null, hadOutput: true, state: 'paused', reason: null, continuesAt: null },
    ...given,
  };
}

export function newSession(given: Partial<Session> & Pick<Session, 'id'>): Session {
  const now = Date.now();
  const cwd = given.cwd ?? '/srv/app';
  return {
    agent: 'demo',
    mode: null,
    agentSessionId: null,
    title: null,
    summary: null,
    activity: 'idle',
    activitySince: now,
    isTerminated: false,
    parked: false,
    origin: 'daemon',
    pinned: false,
    cwd,
    workspace: { kind: 'folder', path: cwd },
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
    openRequests: 0,
    queuedMessages: 0,
    limit: null,
    waitingFor: null,
    onLimit: 'pause',
    budget: null,
    dismissed: null,
    account: null,
    error: null,
    statusText: null,
    forkedFrom: null,
    tags: [],
    metadata: {},
    createdAt: now,
    updatedAt: now,
    lastActiveAt: now,
    rev: 1,
    ...given,
  };
}

export function requestRow(
  id: string,
  { id: sessionId, agent }: Session,
  event: { type: string; requestId: string; [field: string]: unknown },
): Request {
  return {
    id,
    sessionId,
    agent,
    launch: 1,
    agentRequestId: event.requestId,
    kind: event.type === 'approval_request' ? 'approval' : 'question',
    event: { ...event, agent, runId: 'run-1', turnIndex: 0, seq: 0, timestamp: Date.now() },
    state: 'open',
    outcome: null,
    by: null,
    answer: null,
    snoozedUntil: null,
    createdAt: Date.now(),
    resolvedAt: null,
    rev: 1,
  };
}
