/**
 * The HTTP API of the daemon as far as `amux` needs it, in the process of the test, with an agent that does what a message says:
 * "ask" asks for approval, "question" asks a question, "slow" works until it is interrupted, everything else is answered.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import type {
  AccountQuota,
  BudgetStatus,
  Message,
  NewMessage,
  NewSession,
  Request,
  Session,
  SessionEvent,
} from '@agent-mux/api';
import type { TestHome } from './amux.ts';
import { newSession, problem, type Reply, requestRow } from './fake-rows.ts';
import { FakeSchedules } from './fake-schedules.ts';

const TOKEN = 'a-token-of-the-test';

export class FakeDaemon {
  readonly sessions = new Map<string, Session>();
  readonly requests = new Map<string, Request>();
  readonly messages = new Map<string, Message[]>();
  /** Bodies of all calls, by `METHOD /path`. */
  readonly calls: { call: string; body: unknown }[] = [];
  canSteer = true;
  readonly #schedules = new FakeSchedules();
  accounts: AccountQuota[] = [];
  budgets: BudgetStatus[] = [];
  readonly #events = new Map<string, SessionEvent[]>();
  readonly #streams = new Set<{ id: string; response: ServerResponse; untilEnd: boolean }>();
  readonly #folder: string;
  #server: Server | undefined;
  /** Represents the daemon process: it is inspected and receives signals. */
  #process: ChildProcess | undefined;
  #count = 0;

  constructor({ home }: TestHome) {
    this.#folder = join(home, '.local', 'state', 'agent-mux', 'daemon');
  }

  url = '';

  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  async listen(): Promise<void> {
    this.#server = createServer((request, response) => void this.#serve(request, response));
    await new Promise<void>((resolve) => this.#server?.listen(0, '127.0.0.1', resolve));
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    this.url = `http://127.0.0.1:${address.port}`;
    mkdirSync(this.#folder, { recursive: true });
    writeFileSync(join(this.#folder, 'token'), TOKEN, { mode: 0o600 });
    this.#process = spawn('sleep', ['3600'], { stdio: 'ignore' });
    const record = { schema: 'agent-mux.daemon/1', pid: this.pid, startTime: '', url: this.url };
    writeFileSync(
      join(this.#folder, 'daemon.json'),
      JSON.stringify({ ...record, version: '0.1.0', startedAt: Date.now() }),
    );
    writeFileSync(join(this.#folder, 'daemon.log'), 'first line\nsecond line\n');
  }

  /** Closes every connection, as an exiting daemon does. */
  async die(): Promise<void> {
    this.#process?.kill('SIGKILL');
    rmSync(join(this.#folder, 'daemon.json'), { force: true });
    this.#streams.clear();
    this.#server?.closeAllConnections();
    await new Promise<void>((resolve) => this.#server?.close(() => resolve()));
  }

  add(given: Partial<Session> = {}): Session {
    this.#count += 1;
    const session = newSession({ id: `${String(this.#count).repeat(4)}abcdefghijkl`, ...given });
    this.sessions.set(session.id, session);
    this.#events.set(session.id, []);
    this.messages.set(session.id, []);
    return session;
  }

  change(id: string, patch: Partial<Session>): Session {
    const session = { ...this.#session(id), ...patch };
    this.sessions.set(id, session);
    return session;
  }

  /** Adds an event to the session and notifies readers. */
  happen(id: string, ...bodies: readonly { type: string; [field: string]: unknown }[]): void {
    const events = this.#events.get(id) ?? [];
    for (const body of bodies) {
      const event = { ...body, agent: 'demo', runId: 'run-1', turnIndex: 0, seq: events.length, timestamp: Date.now() };
      events.push(event as unknown as SessionEvent);
    }
    this.change(id, { lastSeq: events.length - 1 });
    for (const stream of this.#streams) if (stream.id === id) this.#push(stream, events.slice(-bodies.length));
  }

  /** The agent sends a request; its row is open. */
  ask(
    id: string,
    event: { type: 'approval_request' | 'input_required'; requestId: string; [field: string]: unknown },
  ): Request {
    this.#count += 1;
    const row = requestRow(`r${this.#count}`.padEnd(12, 'x'), this.#session(id), event);
    this.requests.set(row.id, row);
    this.change(id, { openRequests: this.#session(id).openRequests + 1, activity: 'waiting_input' });
    this.happen(id, event);
    return row;
  }

  /** One turn, as the message describes. */
  turn(id: string, text: string): void {
    this.change(id, { activity: 'active' });
    this.happen(
      id,
      { type: 'user_message', messageId: `m${this.#count}`, text, attachments: [], delivery: 'turn' },
      { type: 'turn_start', origin: 'user' },
    );
    if (text.startsWith('ask')) this.ask(id, writing('hello.txt'));
    else if (text.startsWith('question')) this.ask(id, colors());
    else if (!text.startsWith('slow')) this.endTurn(id, `You said: ${text}`);
    else this.happen(id, { type: 'text_delta', delta: 'It takes a while.' });
  }

  endTurn(id: string, text: string, status = 'completed'): void {
    this.happen(id, { type: 'text_delta', delta: text }, { type: 'message_stop' }, { type: 'turn_end', status });
    this.change(id, { activity: 'idle', turns: this.#session(id).turns + 1 });
    const next = this.messages.get(id)?.find(({ state }) => state === 'queued');
    if (!next) return;
    next.state = 'accepted';
    this.turn(id, next.text);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    const text = Buffer.concat(pieces).toString('utf8');
    const isJson = request.headers['content-type'] === 'application/json';
    const body: unknown = isJson && text !== '' ? JSON.parse(text) : text;
    const path = url.pathname.replace('/api/v1', '');
    const { status, value } =
      request.headers.authorization === `Bearer ${TOKEN}`
        ? this.#answer(`${request.method} ${path}`, path.split('/').slice(1), url.searchParams, body)
        : problem(401, 'UNAUTHORIZED', 'the token is wrong');
    if (value === 'stream') return this.#open(path.split('/')[2] ?? '', url.searchParams, request, response);
    const type = status >= 400 ? 'application/problem+json' : 'application/json';
    response.writeHead(status, { 'content-type': type }).end(value === undefined ? undefined : JSON.stringify(value));
  }

  #answer(call: string, [resource, given = '', verb]: string[], query: URLSearchParams, body: unknown): Reply {
    this.calls.push({ call, body });
    const ok = (value: unknown): Reply => ({ status: 200, value });
    if (resource === 'sessions' && given === '') {
      if (call.startsWith('POST')) return { status: 201, value: this.#create(body as NewSession) };
      const all = [...this.sessions.values()].filter(
        ({ isTerminated }) => query.get('terminated') === null || String(isTerminated) === query.get('terminated'),
      );
      return ok({ sessions: all, nextCursor: null });
    }
    if (resource === 'sessions') {
      const found = [...this.sessions.keys()].filter((id) => id.startsWith(given));
      const [id] = found;
      if (id === undefined) return problem(404, 'NOT_FOUND', `session ${given} not found`);
      if (found.length > 1) return problem(409, 'AMBIGUOUS_ID', `${found.length} sessions begin with ${given}`);
      return this.#onSession(call.split(' ')[0] ?? '', id, verb, query, body);
    }
    if (resource === 'requests' && given === '') {
      const open = [...this.requests.values()].filter(({ state }) => state === 'open');
      const session = query.get('sessionId');
      return ok({
        requests: open.filter(({ sessionId }) => session === null || sessionId === session),
        nextCursor: null,
      });
    }
    if (resource === 'requests') return this.#resolve(given, body as { decision: string; message?: string });
    if (resource === 'inbox') {
      const open = [...this.requests.values()].filter(({ state }) => state === 'open');
      const all = [...this.sessions.values()];
      return ok({
        requests: open,
        limits: all.filter(({ limit }) => limit !== null),
        failures: all.filter(({ error }) => error !== null),
      });
    }
    if (resource === 'limits') {
      const all = [...this.sessions.values()];
      return ok({
        sessions: all.filter(({ limit, waitingFor }) => limit !== null || waitingFor !== null),
        accounts: this.accounts.filter(({ pausedUntil }) => pausedUntil !== null),
        budgets: this.budgets,
        rules: { onLimit: 'pause', hours: '08:00-22:00', maxPerDay: 24, continuedToday: 1, staggerMs: 20_000 },
      });
    }
    if (resource === 'quota') return ok({ accounts: this.accounts });
    if (resource === 'files')
      return {
        status: 201,
        value: { id: `file${this.calls.length}`, name: query.get('name'), mimeType: 'text/plain', bytes: 1 },
      };
    if (resource === 'history') return { status: 201, value: this.add({ agentSessionId: verb ?? null }) };
    if (resource === 'health') return ok({ status: 'ok' });
    if (resource === 'ready') return ok({ ready: true, waitingFor: [] });
    if (resource === 'login-links')
      return { status: 201, value: { url: 'http://127.0.0.1:1/#login=fake', expiresAt: 0 } };
    if (resource === 'shutdown') {
      setImmediate(() => void this.die());
      return { status: 202, value: {} };
    }
    const [method = ''] = call.split(' ');
    const scheduled = this.#schedules.answer(method, resource, [given, verb ?? ''], body);
    return scheduled ?? problem(404, 'NOT_FOUND', `nothing is at ${call}`);
  }

  #create(given: NewSession): Session {
    const { agent, cwd, title = given.prompt ?? null } = given;
    const session = this.add({ agent, cwd, title });
    if (given.prompt !== undefined) this.turn(session.id, given.prompt);
    return this.#session(session.id);
  }

  #onSession(method: string, id: string, verb: string | undefined, query: URLSearchParams, body: unknown): Reply {
    const session = this.#session(id);
    const ok = (value: unknown): Reply => ({ status: 200, value });
    switch (verb) {
      case undefined:
        if (method === 'DELETE') {
          this.sessions.delete(id);
          return ok({ id, branch: null, savedRef: null, savedPath: null });
        }
        return ok(session);
      case 'messages':
        return method === 'GET' ? ok({ messages: this.messages.get(id) }) : this.#send(id, body as NewMessage);
      case 'events': {
        const after = Number(query.get('after') ?? -1);
        if (query.get('limit') === null) return ok('stream');
        const rest = (this.#events.get(id) ?? []).filter(({ seq }) => seq > after);
        const limit = Number(query.get('limit'));
        const events = rest.slice(0, limit);
        return ok({ events, lastSeq: events.at(-1)?.seq ?? after, hasMore: rest.length > limit });
      }
      case 'interrupt':
        if (session.activity === 'idle') return problem(409, 'NO_ACTIVE_TURN', 'no turn runs');
        this.endTurn(id, '', 'interrupted');
        return ok(this.#session(id));
      case 'stop':
        this.happen(id, { type: 'run_result', exitReason: 'aborted' });
        return ok(this.change(id, { activity: 'exited', isTerminated: true }));
      case 'limit':
        return ok(this.#session(id));
      case 'park':
        return ok(this.change(id, { parked: true }));
      case 'restore':
        return ok(this.change(id, { isTerminated: false, activity: 'idle', parked: true }));
      case 'fork':
        return { status: 201, value: this.add({ forkedFrom: id, agent: session.agent, cwd: session.cwd }) };
      default:
        return problem(404, 'NOT_FOUND', `nothing is at ${verb}`);
    }
  }

  #send(id: string, { text, mode = 'queue', id: own }: NewMessage): Reply {
    const isBusy = this.#session(id).activity !== 'idle';
    if (mode === 'steer' && !isBusy) return problem(409, 'NO_ACTIVE_TURN', 'no turn runs');
    if (mode === 'steer' && !this.canSteer) return problem(422, 'CAPABILITY_ERROR', 'demo cannot be steered');
    if (mode === 'reject' && isBusy) return problem(409, 'TURN_RUNNING', 'a turn runs');
    const state = isBusy && mode === 'queue' ? 'queued' : 'accepted';
    const times = { createdAt: Date.now(), acceptedAt: null, endedAt: null };
    const messageId = own ?? `m${this.calls.length}`;
    const message: Message = {
      id: messageId,
      sessionId: id,
      text,
      files: [],
      mode,
      state,
      error: null,
      by: 'cli',
      ...times,
      rev: 1,
    };
    this.messages.get(id)?.push(message);
    if (mode === 'steer')
      this.happen(id, { type: 'user_message', messageId, text, attachments: [], delivery: 'steer' });
    else if (!isBusy) this.turn(id, text);
    return { status: 202, value: message };
  }

  #resolve(id: string, answer: { decision: string; message?: string }): Reply {
    const row = [...this.requests.values()].find((request) => request.id === id);
    if (!row) return problem(404, 'NOT_FOUND', `request ${id} not found`);
    if (row.state !== 'open') return problem(409, 'REQUEST_CLOSED', 'it is answered already');
    const outcome =
      ({ allow: 'allowed', deny: 'denied', answer: 'answered', decline: 'declined' } as const)[answer.decision] ??
      'cancelled';
    const done: Request = {
      ...row,
      state: 'answered',
      outcome,
      by: 'cli',
      answer: { ...answer },
      resolvedAt: Date.now(),
    };
    this.requests.set(row.id, done);
    const session = this.#session(row.sessionId);
    this.change(session.id, { openRequests: session.openRequests - 1, activity: 'active' });
    const type = row.kind === 'approval' ? 'approval_resolved' : 'input_resolved';
    this.happen(session.id, { type, requestId: row.agentRequestId, outcome, by: 'caller' });
    if (session.openRequests === 1) this.endTurn(session.id, `It was ${outcome}.`);
    return { status: 200, value: done };
  }

  #open(given: string, query: URLSearchParams, request: IncomingMessage, response: ServerResponse): void {
    const id = [...this.sessions.keys()].find((each) => each.startsWith(given)) ?? given;
    const stream = { id, response, untilEnd: query.get('until') === 'end' };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(': hello\n\n');
    const after = Number(query.get('after') ?? -1);
    this.#push(
      stream,
      (this.#events.get(id) ?? []).filter(({ seq }) => seq > after),
    );
    if (stream.untilEnd && this.#session(id).isTerminated) response.end();
    else this.#streams.add(stream);
    request.on('close', () => this.#streams.delete(stream));
  }

  #push(
    { response, untilEnd }: { response: ServerResponse; untilEnd: boolean },
    events: readonly SessionEvent[],
  ): void {
    for (const event of events) response.write(`id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`);
    if (untilEnd && events.at(-1)?.type === 'run_result') response.end();
  }

  #session(id: string): Session {
    const session = this.sessions.get(id);
    if (!session) throw new Error(`no session ${id}`);
    return session;
  }
}

export function writing(file: string, requestId = `w-${file}`) {
  const input = { file_path: file, content: 'hello\nworld\n' };
  const options = [
    { id: 'once', label: 'Allow once', kind: 'allow_once' },
    { id: 'always', label: `Always allow writing ${file}`, kind: 'allow_always' },
    { id: 'no', label: 'Deny', kind: 'deny_once' },
  ];
  return {
    type: 'approval_request',
    requestId,
    toolName: 'Write',
    title: `Write ${file}`,
    kind: 'edit',
    input,
    options,
  } as const;
}

export function colors(requestId = 'q-color') {
  const options = [{ label: 'Red' }, { label: 'Blue', description: 'like the sea' }];
  const question = { id: 'color', question: 'Which color?', options, multiple: false, freeText: false };
  return { type: 'input_required', requestId, questions: [question] } as const;
}
