import type { Message, Request, Session } from '@agent-mux/api/browser';

/** Rows for tests of what is made of them. */
export function aSession(given: Partial<Session> & Pick<Session, 'id' | 'rev'>): Session {
  return {
    agent: 'fake',
    mode: null,
    nativeId: null,
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
    createdAt: 0,
    updatedAt: 0,
    lastActiveAt: 0,
    ...given,
  };
}

export function aRequest(given: Partial<Request> & Pick<Request, 'id' | 'rev'>): Request {
  return {
    sessionId: 'a',
    agent: 'fake',
    launch: 1,
    requestId: given.id,
    kind: 'approval',
    event: {},
    state: 'open',
    outcome: null,
    by: null,
    answer: null,
    laterUntil: null,
    createdAt: 0,
    resolvedAt: null,
    ...given,
  };
}

export function aMessage(given: Partial<Message> & Pick<Message, 'id' | 'sessionId' | 'rev'>): Message {
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
    ...given,
  };
}

export function aLimit(given: Partial<NonNullable<Session['limit']>>): NonNullable<Session['limit']> {
  return {
    id: 'l1',
    kind: 'usage',
    message: '',
    resetsAt: null,
    since: 0,
    messageId: null,
    showed: false,
    state: 'waits',
    reason: null,
    continuesAt: null,
    ...given,
  };
}
