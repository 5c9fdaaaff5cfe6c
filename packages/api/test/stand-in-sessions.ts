import type { Answer, Message, NewMessage, NewSession, Request, Session, SessionEvent } from '@agent-mux/api';
import type { AgentEvent, Client, EventOf, RunHandle, RunOptions, RunResult } from '@agent-mux/core';

/** A refusal, as the daemon words it. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/**
 * One session of a stand-in for the daemon: the engine behind it is the real one, in this process, so that what comes out is what
 * a run in process would have told, with the notes and numbers of a session.
 */
export class StandInSession {
  readonly lines: string[] = [];
  readonly requests: Request[] = [];
  readonly received: { id: string; text: string; mode: string; files: readonly string[] }[] = [];
  /** As they are told to whoever asks for them. */
  messages: Pick<Message, 'id' | 'state' | 'error'>[] = [];
  readonly given: NewSession;
  row: Session;
  handle: RunHandle | undefined;
  readonly #client: Client;
  #waiters: (() => void)[] = [];
  #isPark = false;

  constructor(client: Client, id: string, given: NewSession) {
    this.#client = client;
    this.given = given;
    this.row = newRow(id, given);
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
    const { agent, cwd, env = {} } = this.given;
    this.#accept(message, 'turn');
    const sessionId = this.row.nativeId ?? undefined;
    const options = { ...this.given.options, agent, cwd, env, prompt: message.text, interactive: true, sessionId };
    const handle = this.#client.run(options as RunOptions);
    this.handle = handle;
    this.#isPark = false;
    this.row = { ...this.row, mode: handle.mode, keeperPid: process.pid, parked: false, launch: this.row.launch + 1 };
    void this.#keep(handle);
  }

  async send(given: NewMessage): Promise<object> {
    const id = given.id ?? `m${this.received.length}`;
    const { text, mode = 'queue', files = [] } = given;
    const row = { id, sessionId: this.row.id, text, files, mode, state: 'queued' };
    if (this.received.some((each) => each.id === id)) return row;
    if (this.row.isTerminated) throw new Refusal(409, 'SESSION_ENDED', 'the session has ended');
    if (mode === 'steer') {
      if (this.row.activity !== 'active') throw new Refusal(409, 'NO_TURN', 'no turn is running');
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
    if (request.state !== 'open') throw new Refusal(409, 'REQUEST_CLOSED', 'it was answered already');
    const { requestId } = request;
    if (answer.decision === 'allow') this.handle?.approve(requestId, answer);
    else if (answer.decision === 'deny') this.handle?.deny(requestId, answer);
    else this.handle?.answer(requestId, answer.decision === 'answer' ? answer.answers : 'decline');
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
    const { agent } = this.given;
    const envelope = { agent, runId: this.handle?.runId ?? '', turnIndex: 0, timestamp: Date.now() };
    this.append({ type: 'user_message', messageId: id, text, attachments: [], delivery, ...envelope });
  }

  #take(event: AgentEvent): void {
    const activity = activityAfter(event);
    if (activity) this.row = { ...this.row, activity };
    if (event.sessionId !== undefined) this.row = { ...this.row, nativeId: event.sessionId };
    if (event.type === 'approval_request' || event.type === 'input_required') this.#ask(event);
    if (event.type === 'approval_resolved' || event.type === 'input_resolved') this.#close(event.requestId);
    this.append({ ...event });
  }

  #ask(event: EventOf<'approval_request'> | EventOf<'input_required'>): void {
    const kind = event.type === 'approval_request' ? 'approval' : 'question';
    const numbers = { launch: this.row.launch, createdAt: 0, rev: 0 };
    const open = { outcome: null, by: null, answer: null, laterUntil: null, resolvedAt: null, state: 'open' as const };
    const { requestId } = event;
    const id = `${this.row.id}r${this.requests.length}`;
    const shown = { ...event, seq: this.lines.length };
    const row = { id, sessionId: this.row.id, agent: event.agent, requestId, kind, event: shown } as const;
    this.requests.push({ ...row, ...open, ...numbers });
  }

  #close(requestId: string): void {
    for (const request of this.requests) if (request.requestId === requestId) request.state = 'answered';
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
    nativeId: null,
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
    waitsFor: null,
    onLimit: 'stop',
    budget: null,
    dismissed: null,
    account: null,
    error: null,
    lastLine: null,
    forkedFrom: null,
    tags,
    metadata: {},
    createdAt: 0,
    updatedAt: 0,
    lastActiveAt: 0,
    rev: 0,
  };
}
