import type { Message, Request, Session } from '@agent-mux/api/browser';

/** Test fixtures of API rows. */
export function aSession(overrides: Partial<Session> & Pick<Session, 'id' | 'rev'>): Session {
  return {
    agent: 'fake',
    mode: null,
    agentSessionId: null,
    title: null,
    summary: null,
    activity: 'idle',
    activitySince: 0,
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
    openRequests: 0,
    queuedMessages: 0,
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
    createdAt: 0,
    updatedAt: 0,
    lastActiveAt: 0,
    ...overrides,
  };
}

export function aRequest(overrides: Partial<Request> & Pick<Request, 'id' | 'rev'>): Request {
  return {
    sessionId: 'a',
    agent: 'fake',
    launch: 1,
    agentRequestId: overrides.id,
    kind: 'approval',
    event: {},
    state: 'open',
    outcome: null,
    by: null,
    answer: null,
    snoozedUntil: null,
    createdAt: 0,
    resolvedAt: null,
    ...overrides,
  };
}

export function aMessage(overrides: Partial<Message> & Pick<Message, 'id' | 'sessionId' | 'rev'>): Message {
  return {
    text: 'hello',
    files: [],
    mode: 'queue',
    state: 'queued',
    error: null,
    by: 'token',
    createdAt: 0,
    acceptedAt: null,
    endedAt: null,
    ...overrides,
  };
}

export function aLimit(overrides: Partial<NonNullable<Session['limit']>>): NonNullable<Session['limit']> {
  return {
    id: 'l1',
    kind: 'usage',
    message: '',
    resetsAt: null,
    since: 0,
    messageId: null,
    hadOutput: false,
    state: 'scheduled',
    reason: null,
    continuesAt: null,
    ...overrides,
  };
}
