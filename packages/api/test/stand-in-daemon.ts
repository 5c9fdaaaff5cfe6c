import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { type ConnectionOptions, connectTo, type NewSession, type RemoteClient } from '@agent-mux/api';
import { AgentMuxError, type Client, createClient } from '@agent-mux/core';
import { FakeAdapter, type FakeAdapterOptions, type Step } from '@agent-mux/testkit';
import { afterAll } from 'vitest';
import { Refusal, StandInSession } from './stand-in-sessions.ts';

export const TOKEN = 'a-token-of-the-test';

/** Speaks the daemon's API, as far as runs need it. What it holds outlives `kill`, as sessions outlive a daemon. */
class StandInDaemon {
  readonly engine: Client;
  readonly sessions = new Map<string, StandInSession>();
  readonly files = new Map<string, { name: string; content: Buffer; mimeType: string }>();
  readonly blobs = new Map<string, string>();
  /** `POST /sessions`, in order. */
  readonly calls: string[] = [];
  /** Answers the next calls that match instead. */
  refusals: { call: RegExp; refusal: Refusal; times: number }[] = [];
  /** Told of each call before it is dealt with. */
  onCall: (call: string) => void = () => {};
  /** Where what is said is not stored, those lines are never sent. */
  isStored: (line: string) => boolean = () => true;
  token = TOKEN;
  port = 0;
  #server: Server | undefined;
  readonly #sockets = new Set<Socket>();

  constructor(steps: readonly Step[], adapter: Omit<FakeAdapterOptions, 'steps'> = {}) {
    this.engine = createClient({ adapters: [new FakeAdapter({ steps, ...adapter })], runIndex: false });
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** The one session of most tests. */
  get session(): StandInSession {
    const [only] = this.sessions.values();
    if (!only) throw new Error('there is no session');
    return only;
  }

  async listen(port = this.port): Promise<void> {
    const server = createServer((request, response) => void this.#answer(request, response));
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', resolve);
    });
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
  }

  /** As `kill -9` would: every connection is gone, in the middle of whatever it carried. */
  async kill(): Promise<void> {
    const closed = new Promise((resolve) => this.#server?.close(resolve));
    for (const socket of this.#sockets) socket.resetAndDestroy();
    await closed;
  }

  get connections(): number {
    return this.#sockets.size;
  }

  /** What is on its way to clients and has not been taken. */
  get unsentBytes(): number {
    return [...this.#sockets].reduce((sum, socket) => sum + socket.writableLength, 0);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      if (request.headers.authorization !== `Bearer ${this.token}`)
        throw new Refusal(401, 'UNAUTHORIZED', 'the token is wrong');
      const url = new URL(request.url ?? '', this.url);
      const path = url.pathname.replace('/api/v1', '');
      const call = `${request.method} ${path}`;
      this.calls.push(call);
      this.onCall(call);
      const refused = this.refusals.find((each) => each.times > 0 && each.call.test(call));
      if (refused) {
        refused.times -= 1;
        throw refused.refusal;
      }
      await this.#route(request, response, url, call);
    } catch (error) {
      const { status, code } = error instanceof Refusal ? error : { status: 422, code: codeOf(error) };
      const detail = error instanceof Error ? error.message : String(error);
      const body = { type: 'about:blank', title: code, status, detail, code, hint: 'a hint' };
      response.writeHead(status, { 'content-type': 'application/problem+json' }).end(JSON.stringify(body));
    }
  }

  async #route(request: IncomingMessage, response: ServerResponse, url: URL, call: string): Promise<void> {
    const reply = (value: unknown, status = 200) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    };
    const [, first, id = '', verb = ''] = url.pathname.replace('/api/v1', '').split('/');
    if (call === 'POST /sessions') return reply(this.#create(JSON.parse(await text(request))), 201);
    if (call === 'POST /files') return reply(await this.#keepFile(request, url), 201);
    if (call === 'GET /requests') return reply({ requests: this.#openRequests(url), cursor: null });
    if (first === 'blobs') {
      const content = this.blobs.get(id);
      if (content === undefined) throw new Refusal(404, 'NOT_FOUND', 'no such blob');
      response.end(content);
      return;
    }
    if (first === 'requests') return reply(this.#answerRequest(id, JSON.parse(await text(request))));
    if (first === 'history') return reply(this.#takeOver(decodeURIComponent(verb)));
    const session = this.sessions.get(id);
    if (first !== 'sessions' || !session) throw new Refusal(404, 'NOT_FOUND', `there is no ${call}`);
    if (verb === 'events') return this.#stream(request, response, session, Number(url.searchParams.get('after') ?? -1));
    if (call.startsWith('GET') && verb === 'messages') return reply({ messages: session.messages });
    if (verb === 'messages') return reply(await session.send(JSON.parse(await text(request))), 202);
    if (verb === 'fork') return reply(this.#fork(session), 201);
    if (verb === 'park') session.park();
    else if (verb === 'stop') session.stop();
    else if (verb === 'interrupt') void session.handle?.interrupt();
    else if (request.method === 'PATCH') await this.#change(session, JSON.parse(await text(request)));
    else if (request.method === 'DELETE') {
      this.sessions.delete(id);
      session.stop();
    }
    reply(session.row);
  }

  #create(given: NewSession): object {
    // What the daemon would refuse is refused by the engine here.
    this.engine.adapters.get(given.agent);
    const session = new StandInSession(this.engine, `s${this.sessions.size + 1}`, given);
    session.launch({ id: given.messageId ?? 'm', text: given.prompt ?? '' });
    this.sessions.set(session.row.id, session);
    return session.row;
  }

  /** One that is there already is only brought back, as the daemon does it. */
  #takeOver(nativeId: string): object {
    const session = [...this.sessions.values()].find(({ row }) => row.nativeId === nativeId);
    if (!session) throw new Refusal(404, 'NOT_FOUND', `there is no session ${nativeId}`);
    session.row = { ...session.row, isTerminated: false };
    return session.row;
  }

  #fork({ given, row }: StandInSession): object {
    const options = { ...given.options, forkSessionId: row.nativeId };
    const session = new StandInSession(this.engine, `s${this.sessions.size + 1}`, { ...given, options });
    this.sessions.set(session.row.id, session);
    return session.row;
  }

  async #keepFile(request: IncomingMessage, url: URL): Promise<object> {
    const [id, name] = [`f${this.files.size}`, url.searchParams.get('name') ?? ''];
    const mimeType = request.headers['content-type'] ?? '';
    const content = await buffer(request);
    this.files.set(id, { name, content, mimeType });
    return { id, name, mimeType, bytes: content.length };
  }

  #openRequests(url: URL): unknown[] {
    const session = this.sessions.get(url.searchParams.get('session') ?? '');
    return session?.requests.filter(({ state }) => state === 'open') ?? [];
  }

  #answerRequest(id: string, answer: Parameters<StandInSession['answer']>[1]): object {
    for (const session of this.sessions.values()) {
      const request = session.requests.find((each) => each.id === id);
      if (request) return session.answer(request, answer);
    }
    throw new Refusal(404, 'NOT_FOUND', `there is no request ${id}`);
  }

  async #change(session: StandInSession, patch: { model?: string; approvalMode?: 'yolo' }): Promise<void> {
    if (patch.model !== undefined) await session.handle?.setModel(patch.model);
    if (patch.approvalMode !== undefined) await session.handle?.setApprovalMode(patch.approvalMode);
  }

  async #stream(request: IncomingMessage, response: ServerResponse, session: StandInSession, after: number) {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(': here\n\n');
    const gone = new Promise<void>((resolve) => response.once('close', resolve));
    for (let next = after + 1; !response.closed && !request.destroyed && this.sessions.has(session.row.id); ) {
      if (next > session.lastSeq) await Promise.race([session.changed(), gone]);
      else if (!this.isStored(session.lines[next] ?? '')) next += 1;
      else {
        const room = response.write(`id: ${next}\ndata: ${session.lines[next]}\n\n`);
        next += 1;
        if (!room) await Promise.race([new Promise((resolve) => response.once('drain', resolve)), gone]);
      }
    }
    response.end();
  }
}

function codeOf(error: unknown): string {
  return error instanceof AgentMuxError ? error.code : 'INTERNAL_ERROR';
}

export function sha256(content: string): string {
  return createHash('sha256').update(content).digest('hex');
}

export interface DaemonBench {
  daemon(steps: readonly Step[], adapter?: Omit<FakeAdapterOptions, 'steps'>): Promise<StandInDaemon>;
  client(daemon: StandInDaemon, more?: Partial<ConnectionOptions>): RemoteClient;
}

/** Daemons and clients for the tests of a file; all are gone afterwards. */
export function useDaemons(): DaemonBench {
  const [daemons, clients]: [StandInDaemon[], RemoteClient[]] = [[], []];
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.close()));
    for (const daemon of daemons) await daemon.kill();
    await Promise.all(daemons.map(({ engine }) => engine.close()));
  });
  return {
    async daemon(steps, adapter) {
      const daemon = new StandInDaemon(steps, adapter);
      await daemon.listen();
      daemons.push(daemon);
      return daemon;
    },
    client(daemon, more = {}) {
      const client = connectTo({ at: { url: daemon.url, token: TOKEN }, ...more });
      clients.push(client);
      return client;
    },
  };
}
