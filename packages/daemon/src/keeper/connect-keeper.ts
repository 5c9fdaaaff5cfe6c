import { connect, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { isRecord } from '@agent-mux/core';
import { readJsonLines } from './json-lines.ts';
import { KeeperError } from './keeper-error.ts';
import { parseKeeperMessage } from './parse-messages.ts';
import {
  type HelloReply,
  type KeeperAck,
  type KeeperMessage,
  type KeeperRecord,
  type KeeperRequest,
  OLDEST_PROTOCOL,
  PROTOCOL_VERSION,
} from './protocol.ts';
import { isKeeperAlive, readRecord } from './record.ts';
import { assertOwnFolder } from './socket-path.ts';

/** Interrupt is the slowest request: the engine gives the agent ten seconds before it ends it. */
const REQUEST_TIMEOUT_MS = 30_000;
const HELLO_TIMEOUT_MS = 10_000;

type Numbered<Each> = Each extends { id: number } ? Omit<Each, 'id'> : never;
/** A request before it gets its id. */
export type KeeperRequestBody = Numbered<Exclude<KeeperRequest, { type: 'hello' }>>;

type Message<Type extends KeeperMessage['type']> = Extract<KeeperMessage, { type: Type }>;

/** Called in the order in which messages arrive. */
export interface KeeperListener {
  events(message: Message<'events'>): void;
  ended(message: Message<'ended'>): void;
  storageError(message: Message<'storage_error'>): void;
  /** Called once, last: the connection is lost because the keeper exited, was killed, or another daemon took over. */
  gone(): void;
}

export interface KeeperConnection {
  readonly record: KeeperRecord;
  readonly welcome: HelloReply;
  /** Resolves to the value of the reply. Rejects with KeeperError: the keeper's error, KEEPER_GONE, or TIMEOUT. */
  order(order: KeeperRequestBody, timeoutMs?: number): Promise<unknown>;
  acknowledge(sessionId: string, seq: number): void;
  /** While paused, the listener is not called and the keeper buffers nothing. */
  pause(): void;
  resume(): void;
  /** Disconnects without calling `gone`. The keeper keeps running. */
  close(): void;
}

export interface ConnectOptions {
  /** The last known seq of each session. */
  after: Readonly<Record<string, number>>;
  listener: KeeperListener;
}

/**
 * Connects to the keeper of the session in this folder. Throws KEEPER_GONE if there is none, PROTOCOL if its version is
 * not supported.
 */
export async function connectKeeper(folder: string, options: ConnectOptions): Promise<KeeperConnection> {
  const record = readRecord(folder);
  if (!record) throw new KeeperError('KEEPER_GONE', `no keeper record in ${folder}`);
  if (!(record.protocol >= OLDEST_PROTOCOL && record.protocol <= PROTOCOL_VERSION))
    throw new KeeperError('PROTOCOL', `keeper ${record.pid} uses unsupported protocol version ${record.protocol}`);
  if (!isKeeperAlive(record)) throw new KeeperError('KEEPER_GONE', `keeper ${record.pid} is gone`);
  if (process.platform !== 'win32') assertOwnFolder(dirname(record.socket));
  const socket = await openSocket(record);
  return openConnection(socket, record, options);
}

interface PendingRequest {
  resolve(value: unknown): void;
  reject(error: KeeperError): void;
  timer: NodeJS.Timeout;
}

async function openConnection(socket: Socket, record: KeeperRecord, { after, listener }: ConnectOptions) {
  const pending = new Map<number, PendingRequest>();
  let counter = 0;
  let isClosed = false;
  let isOpen = false;

  readJsonLines(socket, { value: receive, issue: () => socket.destroy() });
  socket.on('error', () => socket.destroy());
  socket.on('close', () => {
    const error = new KeeperError('KEEPER_GONE', `the connection to keeper ${record.pid} is lost`);
    for (const [id] of pending) settle(id)?.reject(error);
    if (isOpen && !isClosed) listener.gone();
  });

  function receive(value: unknown): void {
    if (isClosed) return;
    const message = parseKeeperMessage(value);
    switch (message?.type) {
      case 'reply':
        if (message.ok) settle(message.id)?.resolve(message.value);
        else settle(message.id)?.reject(new KeeperError(message.error.code, message.error.message, message.error.hint));
        break;
      case 'events':
        listener.events(message);
        break;
      case 'ended':
        listener.ended(message);
        break;
      case 'storage_error':
        listener.storageError(message);
        break;
      default:
      // A newer keeper may send messages that are unknown here.
    }
  }

  function settle(id: number): PendingRequest | undefined {
    const found = pending.get(id);
    clearTimeout(found?.timer);
    pending.delete(id);
    return found;
  }

  function sendRequest(order: object, timeoutMs: number): Promise<unknown> {
    const id = ++counter;
    if (socket.destroyed) throw new KeeperError('KEEPER_GONE', `the connection to keeper ${record.pid} is lost`);
    return new Promise((resolve, reject) => {
      const onTimeout = () => settle(id)?.reject(new KeeperError('TIMEOUT', `keeper ${record.pid} did not answer`));
      pending.set(id, { resolve, reject, timer: setTimeout(onTimeout, timeoutMs) });
      socket.write(`${JSON.stringify({ ...order, id })}\n`);
    });
  }

  try {
    // Use the keeper's protocol version: an older keeper does not know ours.
    const welcome = await sendRequest({ type: 'hello', protocol: record.protocol, after }, HELLO_TIMEOUT_MS);
    if (!isWelcome(welcome) || welcome.pid !== record.pid)
      throw new KeeperError('KEEPER_GONE', `another process is listening on the socket of keeper ${record.pid}`);
    isOpen = true;
    return connection(welcome);
  } catch (error) {
    isClosed = true;
    socket.destroy();
    throw error;
  }

  function connection(welcome: HelloReply): KeeperConnection {
    return {
      record,
      welcome,
      order: async (order, timeoutMs = REQUEST_TIMEOUT_MS) => sendRequest(order, timeoutMs),
      acknowledge: (sessionId, seq) => {
        if (!socket.destroyed) socket.write(`${JSON.stringify({ type: 'ack', sessionId, seq } satisfies KeeperAck)}\n`);
      },
      pause: () => socket.pause(),
      resume: () => socket.resume(),
      close: () => {
        isClosed = true;
        socket.destroy();
      },
    };
  }
}

function openSocket({ socket: path, pid }: KeeperRecord): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once('error', ({ message }) =>
      reject(new KeeperError('KEEPER_GONE', `keeper ${pid} cannot be reached: ${message}`)),
    );
    socket.once('connect', () => resolve(socket));
  });
}

function isWelcome(value: unknown): value is HelloReply {
  return isRecord(value) && typeof value.pid === 'number' && Array.isArray(value.sessions);
}
