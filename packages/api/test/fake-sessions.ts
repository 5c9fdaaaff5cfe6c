import type { Answer, Message, NewMessage, NewSession, Request, Session, SessionEvent } from '@agent-mux/api';
import type { AgentEvent, Client, EventOf, RunHandle, RunOptions, RunResult } from '@agent-mux/core';

/** A rejection, as the daemon reports it. */
export class Rejection extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/**
 * One session of the fake daemon, backed by the real engine in this process: its events are those of an in-process run, with the
 * additional events and numbers of a session.
 */
export class FakeSession {
  readonly lines: string[] = [];
  readonly requests: Request[] = [];
  readonly received: { id: string; text: string; mode: string; files: readonly string[] }[] = [];
  /** Messages as listed to clients. */
  messages: Pick<Message, 'id' | 'state' | 'error'>[] = [];
  readonly body: NewSession;
  row: Session;
  handle: RunHandle | undefined;
  readonly #client: Client;
  #waiters: (() => void)[] = [];
  #isPark = false;

  constructor(client: Client, id: string, body: NewSession) {
    this.#client = client;
    this.body = body;
    this.row = newRow(id, body);
  }

  get lastSeq(): number {
    return this.lines.length - 1;
  }

  append(event: Record<string, unknown>): void {
    this.lines.push(JSON.stringify({ ...event, seq: this.lines.length }));
    this.row = { ...this.row, lastSeq: this.lastSeq };
    for (const wake of this.#waiters.splice(0)) wake();
  }

  changed(): Promise<void> {
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  launch(message: { id: string; text: string }): void {
    const { agent, cwd, env = {} } = this.body;
    this.#accept(message, 'turn');
    const sessionId = this.row.agentSessionId ?? undefined;
    const options = { ...this.body.options, agent, cwd, env, prompt: message.text, interactive: true, sessionId };
    const handle = this.#client.run(options as RunOptions);
    this.handle = handle;
    this.#isPark = false;
    this.row = { ...this.row, mode: handle.mode, keeperPid: process.pid, parked: false, launch: this.row.launch + 1 };
    void this.#keep(handle);
  }

  async send(message: NewMessage): Promise<object> {
    const id = message.id ?? `m${this.received.length}`;
    const { text, mode = 'queue', files = [] } = message;
    const row = { id, sessionId: this.row.id, text, files, mode, state: 'queued' };
    if (this.received.some((each) => each.id === id)) return row;
    if (this.row.isTerminated) throw new Rejection(409, 'SESSION_ENDED', 'the session has ended');
    if (mode === 'steer') {
      if (this.row.activity !== 'active') throw new Rejection(409, 'NO_ACTIVE_TURN', 'no turn is running');
      await this.handle?.steer(text);
      this.received.push({ id, text, mode, files });
      this.#accept({ id, text }, 'steer');
      return row;
    }
    this.received.push({ id, text, mode, files });
    if (this.handle) {
      this.#accept({ id, text }, 'turn');
      await this.handle.send(text);
    } else this.launch({ id, text });
    return row;
  }

  answer(request: Request, answer: Answer): Request {
    if (request.state !== 'open') throw new Rejection(409, 'REQUEST_CLOSED', 'already answered');
    const { agentRequestId } = request;
    if (answer.decision === 'allow') this.handle?.approve(agentRequestId, answer);
    else if (answer.decision === 'deny') this.handle?.deny(agentRequestId, answer);
    else this.handle?.answer(agentRequestId, answer.decision === 'answer' ? answer.answers : 'decline');
    return request;
  }

  park(): void {
    this.#isPark = true;
    if (this.handle) void this.handle.end();
    else this.row = { ...this.row, parked: true };
  }

  stop(): void {
    if (this.handle) void this.handle.abort();
    this.row = { ...this.row, isTerminated: true };
  }

  async #keep(handle: RunHandle): Promise<void> {
    for await (const event of handle) this.#take(event);
    const result: RunResult = await handle;
    const { turnIndex = 0 } = this.lines.length > 0 ? JSON.parse(this.lines.at(-1)!) : {};
    this.handle = undefined;
    this.row = { ...this.row, keeperPid: null, activity: 'exited', parked: this.#isPark };
    this.append({ type: 'run_result', ...result, timestamp: Date.now(), turnIndex });
  }

  #accept({ id, text }: { id: string; text: string }, delivery: 'turn' | 'steer'): void {
    const { agent } = this.body;
    const envelope = { agent, runId: this.handle?.runId ?? '', turnIndex: 0, timestamp: Date.now() };
    this.append({ type: 'user_message', messageId: id, text, attachments: [], delivery, ...envelope });
  }

  #take(event: AgentEvent): void {
    const activity = activityAfter(event);
    if (activity) this.row = { ...this.row, activity };
    if (event.sessionId !== undefined) this.row = { ...this.row, agentSessionId: event.sessionId };
    if (event.type === 'approval_request' || event.type === 'input_required') this.#ask(event);
    if (event.type === 'approval_resolved' || event.type === 'input_resolved') this.#close(event.requestId);
    this.append({ ...event });
  }

  #ask(event: EventOf<'approval_request'> | EventOf<'input_required'>): void {
    const kind = event.type === 'approval_request' ? 'approval' : 'question';
    const numbers = { launch: this.row.launch, createdAt: 0, rev: 0 };
    const open = {
      outcome: null,
      by: null,
      answer: null,
      snoozedUntil: null,
      resolvedAt: null,
      state: 'open' as const,
    };
    const id = `${this.row.id}r${this.requests.length}`;
    const shown = { ...event, seq: this.lines.length };
    const row = {
      id,
      sessionId: this.row.id,
      agent: event.agent,
      agentRequestId: event.requestId,
      kind,
      event: shown,
    } as const;
    this.requests.push({ ...row, ...open, ...numbers });
  }

  #close(requestId: string): void {
    for (const request of this.requests) if (request.agentRequestId === requestId) request.state = 'answered';
  }
}

function activityAfter({ type }: SessionEvent): Session['activity'] | undefined {
  if (type === 'turn_start') return 'active';
  return type === 'turn_end' ? 'idle' : undefined;
}

function newRow(id: string, { agent, cwd, options = {}, tags = [] }: NewSession): Session {
  return {
    id,
    agent,
    mode: null,
    agentSessionId: null,
    title: null,
    summary: null,
    activity: 'spawning',
    activitySince: 0,
    isTerminated: false,
    parked: false,
    origin: 'daemon',
    pinned: false,
    cwd,
    workspace: { kind: 'folder', path: cwd },
    model: null,
    approvalMode: 'prompt',
    options,
    envNames: [],
    trustProject: false,
    launch: 0,
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
    tags,
    metadata: {},
    createdAt: 0,
    updatedAt: 0,
    lastActiveAt: 0,
    rev: 0,
  };
}
