import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { type ConnectionOptions, connectTo, type NewSession, type RemoteClient } from '@agent-mux/api';
import { AgentMuxError, type Client, createClient } from '@agent-mux/core';
import { FakeAdapter, type FakeAdapterOptions, type Step } from '@agent-mux/testkit';
import { afterAll } from 'vitest';
import { FakeSession, Rejection } from './fake-sessions.ts';

export const TOKEN = 'a-token-of-the-test';

/** Fake daemon with the API that runs need. Its state survives `kill`, like sessions survive a daemon. */
class StandInDaemon {
  readonly engine: Client;
  readonly sessions = new Map<string, FakeSession>();
  readonly files = new Map<string, { name: string; content: Buffer; mimeType: string }>();
  readonly blobs = new Map<string, string>();
  /** Bodies of `POST /sessions`, in order. */
  readonly calls: string[] = [];
  /** Rejections for the next matching calls. */
  rejections: { call: RegExp; rejection: Rejection; times: number }[] = [];
  /** Called before each call is handled. */
  onCall: (call: string) => void = () => {};
  /** Event types that are not stored and therefore never sent. */
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

  /** The only session. */
  get session(): FakeSession {
    const [only] = this.sessions.values();
    if (!only) throw new Error('no session');
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

  /** Like `kill -9`: drops every connection, in the middle of its data. */
  async kill(): Promise<void> {
    const closed = new Promise((resolve) => this.#server?.close(resolve));
    for (const socket of this.#sockets) socket.resetAndDestroy();
    await closed;
  }

  get connections(): number {
    return this.#sockets.size;
  }

  /** Bytes buffered for clients. */
  get unsentBytes(): number {
    return [...this.#sockets].reduce((sum, socket) => sum + socket.writableLength, 0);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      if (request.headers.authorization !== `Bearer ${this.token}`)
        throw new Rejection(401, 'UNAUTHORIZED', 'invalid token');
      const url = new URL(request.url ?? '', this.url);
      const path = url.pathname.replace('/api/v1', '');
      const call = `${request.method} ${path}`;
      this.calls.push(call);
      this.onCall(call);
      const rejected = this.rejections.find((each) => each.times > 0 && each.call.test(call));
      if (rejected) {
        rejected.times -= 1;
        throw rejected.rejection;
      }
      await this.#route(request, response, url, call);
    } catch (error) {
      const { status, code } = error instanceof Rejection ? error : { status: 422, code: codeOf(error) };
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
    if (call === 'POST /files') return reply(await this.#storeFile(request, url), 201);
    if (call === 'GET /requests') return reply({ requests: this.#openRequests(url), nextCursor: null });
    if (first === 'blobs') {
      const content = this.blobs.get(id);
      if (content === undefined) throw new Rejection(404, 'NOT_FOUND', 'blob not found');
      response.end(content);
      return;
    }
    if (first === 'requests') return reply(this.#answerRequest(id, JSON.parse(await text(request))));
    if (first === 'history') return reply(this.#import(decodeURIComponent(verb)));
    const session = this.sessions.get(id);
    if (first !== 'sessions' || !session) throw new Rejection(404, 'NOT_FOUND', `no route for ${call}`);
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

  #create(body: NewSession): object {
    // Rejects what the daemon would reject.
    this.engine.adapters.get(body.agent);
    const session = new FakeSession(this.engine, `s${this.sessions.size + 1}`, body);
    session.launch({ id: body.messageId ?? 'm', text: body.prompt ?? '' });
    this.sessions.set(session.row.id, session);
    return session.row;
  }

  /** An existing session is only restored, as the daemon does it. */
  #import(agentSessionId: string): object {
    const session = [...this.sessions.values()].find(({ row }) => row.agentSessionId === agentSessionId);
    if (!session) throw new Rejection(404, 'NOT_FOUND', `session ${agentSessionId} not found`);
    session.row = { ...session.row, isTerminated: false };
    return session.row;
  }

  #fork({ body, row }: FakeSession): object {
    const options = { ...body.options, forkSessionId: row.agentSessionId };
    const session = new FakeSession(this.engine, `s${this.sessions.size + 1}`, { ...body, options });
    this.sessions.set(session.row.id, session);
    return session.row;
  }

  async #storeFile(request: IncomingMessage, url: URL): Promise<object> {
    const [id, name] = [`f${this.files.size}`, url.searchParams.get('name') ?? ''];
    const mimeType = request.headers['content-type'] ?? '';
    const content = await buffer(request);
    this.files.set(id, { name, content, mimeType });
    return { id, name, mimeType, bytes: content.length };
  }

  #openRequests(url: URL): unknown[] {
    const session = this.sessions.get(url.searchParams.get('sessionId') ?? '');
    return session?.requests.filter(({ state }) => state === 'open') ?? [];
  }

  #answerRequest(id: string, answer: Parameters<FakeSession['answer']>[1]): object {
    for (const session of this.sessions.values()) {
      const request = session.requests.find((each) => each.id === id);
      if (request) return session.answer(request, answer);
    }
    throw new Rejection(404, 'NOT_FOUND', `request ${id} not found`);
  }

  async #change(session: FakeSession, patch: { model?: string; approvalMode?: 'yolo' }): Promise<void> {
    if (patch.model !== undefined) await session.handle?.setModel(patch.model);
    if (patch.approvalMode !== undefined) await session.handle?.setApprovalMode(patch.approvalMode);
  }

  async #stream(request: IncomingMessage, response: ServerResponse, session: FakeSession, after: number) {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(': here\n\n');
    const gone = new Promise<void>((resolve) => response.once('close', resolve));
    for (let next = after + 1; !response.closed && !request.destroyed && this.sessions.has(session.row.id); ) {
      if (next > session.lastSeq) await Promise.race([session.changed(), gone]);
      else if (!this.isStored(session.lines[next] ?? '')) next += 1;
      else {
        const hasSpace = response.write(`id: ${next}\ndata: ${session.lines[next]}\n\n`);
        next += 1;
        if (!hasSpace) await Promise.race([new Promise((resolve) => response.once('drain', resolve)), gone]);
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

/** Daemons and clients for the tests of a file; closed afterwards. */
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
