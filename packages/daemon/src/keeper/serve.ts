import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { isRecord } from '@agent-mux/core';
import { readJsonLines } from './json-lines.ts';
import { KeeperError, toErrorInfo } from './keeper-error.ts';
import type { KeeperSession } from './keeper-session.ts';
import { type HelloReply, type KeeperMessage, type LaunchSpec, OLDEST_PROTOCOL, PROTOCOL_VERSION } from './protocol.ts';
import { createPusher, type Pusher } from './push-events.ts';

/** Time a client has to send hello. */
const HELLO_TIMEOUT_MS = 10_000;
/** Maximum number of connections that have not sent hello yet. */
const MAX_CONNECTIONS = 16;
/** A daemon that sends requests but does not read the replies is disconnected. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024;
/** Time a daemon has to read the rest before the keeper exits. Unread events remain in the journal. */
const DRAIN_TIMEOUT_MS = 5000;

/** What the server serves. */
export interface KeeperBackend {
  sessions(): Iterable<KeeperSession>;
  /** Resolves when the first session is open or refused. */
  ready: Promise<unknown>;
  welcome(): HelloReply;
  /** Throws the error to reply with. `added`: a session whose events after `after` are sent to this daemon. */
  handle(
    request: Record<string, unknown>,
  ): Promise<{ value?: unknown; added?: { held: KeeperSession; after: number } }>;
  acknowledge(sessionId: string, seq: number): void;
}

export interface KeeperServer {
  appended(sessionId: string, from: number, lines: readonly string[]): void;
  storageError(of: Pick<LaunchSpec, 'sessionId' | 'launch'>, problem: string | null): void;
  /** A session has ended. */
  ended(): void;
  /** Resolves when the connected daemon, if any, has received everything. */
  close(): Promise<void>;
}

/** Resolves when it listens. Serves one daemon at a time: a new hello replaces the previous daemon. */
export async function startKeeperServer(path: string, backend: KeeperBackend): Promise<KeeperServer> {
  let daemon: { socket: Socket; pusher: Pusher } | undefined;
  const server = createServer((socket) => receive(socket));
  server.maxConnections = MAX_CONNECTIONS;
  await listen(server, path);

  function receive(socket: Socket): void {
    const timeout = setTimeout(() => socket.destroy(), HELLO_TIMEOUT_MS);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      clearTimeout(timeout);
      if (daemon?.socket === socket) daemon = undefined;
    });
    socket.on('drain', () => daemon?.socket === socket && daemon.pusher.flush());
    readJsonLines(socket, {
      issue: () => socket.destroy(),
      value: (message) => {
        if (!isRecord(message)) socket.destroy();
        else if (message.type === 'hello') void greet(socket, message, timeout);
        else if (daemon?.socket !== socket) socket.destroy();
        else if (message.type === 'ack') backend.acknowledge(String(message.sessionId), Number(message.seq));
        else void answer(socket, message);
      },
    });
  }

  async function greet(socket: Socket, hello: Record<string, unknown>, timeout: NodeJS.Timeout): Promise<void> {
    const id = Number(hello.id);
    const protocol = Number(hello.protocol);
    if (!(protocol >= OLDEST_PROTOCOL && protocol <= PROTOCOL_VERSION)) {
      const error = toErrorInfo(
        new KeeperError('PROTOCOL', unsupportedProtocol(protocol), 'use the agent-mux version that started it'),
      );
      socket.end(`${JSON.stringify({ type: 'reply', id, ok: false, error } satisfies KeeperMessage)}\n`);
      return;
    }
    await backend.ready.catch(() => {});
    clearTimeout(timeout);
    if (socket.destroyed) return;
    if (daemon?.socket !== socket) daemon?.socket.destroy();
    const pusher = createPusher(socket);
    daemon = { socket, pusher };
    send(socket, { type: 'reply', id, ok: true, value: backend.welcome() });
    const after = isRecord(hello.after) ? hello.after : {};
    for (const held of backend.sessions()) {
      const { sessionId, launch, firstSeq } = held.launch;
      const { storageError } = held.journal;
      if (storageError !== null) send(socket, { type: 'storage_error', sessionId, launch, problem: storageError });
      const known = after[sessionId];
      pusher.add(held, typeof known === 'number' ? known : firstSeq - 1);
    }
  }

  async function answer(socket: Socket, request: Record<string, unknown>): Promise<void> {
    const id = Number(request.id);
    try {
      const { value, added } = await backend.handle(request);
      send(socket, { type: 'reply', id, ok: true, ...(value === undefined ? {} : { value }) });
      if (added && daemon?.socket === socket) daemon.pusher.add(added.held, added.after);
    } catch (error) {
      send(socket, { type: 'reply', id, ok: false, error: toErrorInfo(error) });
    }
  }

  async function close(): Promise<void> {
    server.close();
    const last = daemon;
    if (last) await drain(last.socket, last.pusher);
    if (process.platform !== 'win32') rmSync(path, { force: true });
  }

  return {
    appended: (sessionId, from, lines) => daemon?.pusher.appended(sessionId, from, lines),
    storageError: ({ sessionId, launch }, problem) =>
      daemon && send(daemon.socket, { type: 'storage_error', sessionId, launch, problem }),
    ended: () => daemon?.pusher.flush(),
    close,
  };
}

function send(socket: Socket, message: KeeperMessage): void {
  if (socket.destroyed) return;
  if (socket.writableLength > MAX_UNREAD_BYTES) socket.destroy();
  else socket.write(`${JSON.stringify(message)}\n`);
}

/** Sends everything that is left, then ends the connection. */
async function drain(socket: Socket, pusher: Pusher): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timeout);
      resolve();
    };
    const timeout = setTimeout(() => socket.destroy(), DRAIN_TIMEOUT_MS);
    const flush = () => {
      pusher.flush();
      if (pusher.isDone) socket.end();
    };
    socket.once('close', done);
    socket.on('drain', flush);
    if (socket.destroyed) done();
    else flush();
  });
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      if (process.platform !== 'win32') chmodSync(path, 0o600);
      resolve();
    });
  });
}

function unsupportedProtocol(theirs: number): string {
  return `this keeper supports protocol versions ${OLDEST_PROTOCOL} to ${PROTOCOL_VERSION}, not ${theirs}`;
}
