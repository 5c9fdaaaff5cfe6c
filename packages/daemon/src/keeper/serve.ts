import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { isRecord } from '@agent-mux/core';
import type { Held } from './hold-session.ts';
import { readJsonLines } from './json-lines.ts';
import { KeeperError, tellError } from './keeper-error.ts';
import { type FromKeeper, type Launch, OLDEST_PROTOCOL, PROTOCOL_VERSION, type Welcome } from './protocol.ts';
import { makePusher, type Pusher } from './push-events.ts';

/** Who connects says hello within this time. */
const HELLO_LIMIT_MS = 10_000;
/** So many may have connected without a hello. */
const MOST_CONNECTIONS = 16;
/** A daemon that orders and never reads the answers is let go. */
const MOST_UNREAD_BYTES = 64 * 1024 * 1024;
/** A daemon may take so long to read the rest before the keeper leaves; what it has not read stands in the journal. */
const LAST_WORDS_MS = 5000;

/** What the socket is a door to. */
export interface Behind {
  sessions(): Iterable<Held>;
  /** Resolves when the first session is open or refused. */
  ready: Promise<unknown>;
  welcome(): Welcome;
  /** Throws the refusal. `added`: a session that this daemon has to be told of, after a seq. */
  obey(order: Record<string, unknown>): Promise<{ value?: unknown; added?: { held: Held; after: number } }>;
  acknowledge(sessionId: string, seq: number): void;
}

export interface Door {
  appended(sessionId: string, from: number, lines: readonly string[]): void;
  trouble(of: Pick<Launch, 'sessionId' | 'launch'>, problem: string | null): void;
  /** A session has ended. */
  ended(): void;
  /** Resolves when the daemon has been told everything, or there is none. */
  close(): Promise<void>;
}

/** Resolves when it listens. One daemon at a time: who says hello takes the place of the one before. */
export async function openDoor(path: string, behind: Behind): Promise<Door> {
  let daemon: { socket: Socket; pusher: Pusher } | undefined;
  const server = createServer((socket) => receive(socket));
  server.maxConnections = MOST_CONNECTIONS;
  await listen(server, path);

  function receive(socket: Socket): void {
    const patience = setTimeout(() => socket.destroy(), HELLO_LIMIT_MS);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      clearTimeout(patience);
      if (daemon?.socket === socket) daemon = undefined;
    });
    socket.on('drain', () => daemon?.socket === socket && daemon.pusher.goOn());
    readJsonLines(socket, {
      fault: () => socket.destroy(),
      value: (message) => {
        if (!isRecord(message)) socket.destroy();
        else if (message.type === 'hello') void greet(socket, message, patience);
        else if (daemon?.socket !== socket) socket.destroy();
        else if (message.type === 'ack') behind.acknowledge(String(message.sessionId), Number(message.seq));
        else void answer(socket, message);
      },
    });
  }

  async function greet(socket: Socket, hello: Record<string, unknown>, patience: NodeJS.Timeout): Promise<void> {
    const id = Number(hello.id);
    const protocol = Number(hello.protocol);
    if (!(protocol >= OLDEST_PROTOCOL && protocol <= PROTOCOL_VERSION)) {
      const error = tellError(
        new KeeperError('PROTOCOL', otherProtocol(protocol), 'use the version that it was started with'),
      );
      socket.end(`${JSON.stringify({ type: 'reply', id, ok: false, error } satisfies FromKeeper)}\n`);
      return;
    }
    await behind.ready.catch(() => {});
    clearTimeout(patience);
    if (socket.destroyed) return;
    if (daemon?.socket !== socket) daemon?.socket.destroy();
    const pusher = makePusher(socket);
    daemon = { socket, pusher };
    tell(socket, { type: 'reply', id, ok: true, value: behind.welcome() });
    const after = isRecord(hello.after) ? hello.after : {};
    for (const held of behind.sessions()) {
      const { sessionId, launch, firstSeq } = held.launch;
      const { trouble } = held.journal;
      if (trouble !== null) tell(socket, { type: 'trouble', sessionId, launch, problem: trouble });
      const known = after[sessionId];
      pusher.add(held, typeof known === 'number' ? known : firstSeq - 1);
    }
  }

  async function answer(socket: Socket, order: Record<string, unknown>): Promise<void> {
    const id = Number(order.id);
    try {
      const { value, added } = await behind.obey(order);
      tell(socket, { type: 'reply', id, ok: true, ...(value === undefined ? {} : { value }) });
      if (added && daemon?.socket === socket) daemon.pusher.add(added.held, added.after);
    } catch (error) {
      tell(socket, { type: 'reply', id, ok: false, error: tellError(error) });
    }
  }

  async function close(): Promise<void> {
    server.close();
    const last = daemon;
    if (last) await lastWords(last.socket, last.pusher);
    if (process.platform !== 'win32') rmSync(path, { force: true });
  }

  return {
    appended: (sessionId, from, lines) => daemon?.pusher.appended(sessionId, from, lines),
    trouble: ({ sessionId, launch }, problem) =>
      daemon && tell(daemon.socket, { type: 'trouble', sessionId, launch, problem }),
    ended: () => daemon?.pusher.goOn(),
    close,
  };
}

function tell(socket: Socket, message: FromKeeper): void {
  if (socket.destroyed) return;
  if (socket.writableLength > MOST_UNREAD_BYTES) socket.destroy();
  else socket.write(`${JSON.stringify(message)}\n`);
}

/** Everything that is left, and then the end of the connection. */
async function lastWords(socket: Socket, pusher: Pusher): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(patience);
      resolve();
    };
    const patience = setTimeout(() => socket.destroy(), LAST_WORDS_MS);
    const look = () => {
      pusher.goOn();
      if (pusher.isDone) socket.end();
    };
    socket.once('close', done);
    socket.on('drain', look);
    if (socket.destroyed) done();
    else look();
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

function otherProtocol(theirs: number): string {
  return `this keeper speaks versions ${OLDEST_PROTOCOL} to ${PROTOCOL_VERSION} of the protocol, not ${theirs}`;
}
