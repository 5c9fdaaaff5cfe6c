import { connect, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { isRecord } from '@agent-mux/core';
import { readJsonLines } from './json-lines.ts';
import { KeeperError } from './keeper-error.ts';
import {
  type Acknowledgement,
  type FromKeeper,
  type KeeperRecord,
  OLDEST_PROTOCOL,
  type Order,
  PROTOCOL_VERSION,
  type Welcome,
} from './protocol.ts';
import { readKeeperMessage } from './read-messages.ts';
import { isKeeperAlive, readRecord } from './record.ts';
import { assertOwnFolder } from './socket-place.ts';

/** An interrupt is the slowest order: the engine gives the agent ten seconds, and then ends it. */
const ORDER_LIMIT_MS = 30_000;
const HELLO_LIMIT_MS = 10_000;

type Numbered<Each> = Each extends { id: number } ? Omit<Each, 'id'> : never;
/** An order before it has its number. */
export type Ordered = Numbered<Exclude<Order, { type: 'hello' }>>;

type Message<Type extends FromKeeper['type']> = Extract<FromKeeper, { type: Type }>;

/** Called in the order in which it comes. */
export interface KeeperListener {
  events(message: Message<'events'>): void;
  ended(message: Message<'ended'>): void;
  trouble(message: Message<'trouble'>): void;
  /** The connection is lost, once and last: the keeper has left, was killed, or another daemon has taken over. */
  gone(): void;
}

export interface KeeperConnection {
  readonly record: KeeperRecord;
  readonly welcome: Welcome;
  /** Resolves to the value of the reply. Rejects with KeeperError: the refusal, KEEPER_GONE, or TIMEOUT. */
  order(order: Ordered, limitMs?: number): Promise<unknown>;
  acknowledge(sessionId: string, seq: number): void;
  /** While paused nothing is told, and the keeper puts nothing aside. */
  pause(): void;
  resume(): void;
  /** The keeper goes on without. `gone` is not called. */
  close(): void;
}

export interface ConnectOptions {
  /** The last seq of each session that is known. */
  after: Readonly<Record<string, number>>;
  listener: KeeperListener;
}

/** To the keeper that holds the session of this folder. Throws KEEPER_GONE where there is none, PROTOCOL for another version. */
export async function connectKeeper(folder: string, options: ConnectOptions): Promise<KeeperConnection> {
  const record = readRecord(folder);
  if (!record) throw new KeeperError('KEEPER_GONE', `no keeper has left a record in ${folder}`);
  if (!(record.protocol >= OLDEST_PROTOCOL && record.protocol <= PROTOCOL_VERSION))
    throw new KeeperError('PROTOCOL', `keeper ${record.pid} speaks version ${record.protocol} of the protocol`);
  if (!isKeeperAlive(record)) throw new KeeperError('KEEPER_GONE', `keeper ${record.pid} is gone`);
  if (process.platform !== 'win32') assertOwnFolder(dirname(record.socket));
  const socket = await openSocket(record);
  return talk(socket, record, options);
}

interface Waiting {
  resolve(value: unknown): void;
  reject(error: KeeperError): void;
  timer: NodeJS.Timeout;
}

async function talk(socket: Socket, record: KeeperRecord, { after, listener }: ConnectOptions) {
  const waiting = new Map<number, Waiting>();
  let counter = 0;
  let isClosed = false;
  let isOpen = false;

  readJsonLines(socket, { value: hear, fault: () => socket.destroy() });
  socket.on('error', () => socket.destroy());
  socket.on('close', () => {
    const error = new KeeperError('KEEPER_GONE', `the connection to keeper ${record.pid} is lost`);
    for (const [id] of waiting) settle(id)?.reject(error);
    if (isOpen && !isClosed) listener.gone();
  });

  function hear(value: unknown): void {
    if (isClosed) return;
    const message = readKeeperMessage(value);
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
      case 'trouble':
        listener.trouble(message);
        break;
      default:
      // A later keeper may have more to tell.
    }
  }

  function settle(id: number): Waiting | undefined {
    const found = waiting.get(id);
    clearTimeout(found?.timer);
    waiting.delete(id);
    return found;
  }

  function ask(order: object, limitMs: number): Promise<unknown> {
    const id = ++counter;
    if (socket.destroyed) throw new KeeperError('KEEPER_GONE', `the connection to keeper ${record.pid} is lost`);
    return new Promise((resolve, reject) => {
      const late = () => settle(id)?.reject(new KeeperError('TIMEOUT', `keeper ${record.pid} did not answer`));
      waiting.set(id, { resolve, reject, timer: setTimeout(late, limitMs) });
      socket.write(`${JSON.stringify({ ...order, id })}\n`);
    });
  }

  try {
    // In its own words: an older one does not know ours.
    const welcome = await ask({ type: 'hello', protocol: record.protocol, after }, HELLO_LIMIT_MS);
    if (!isWelcome(welcome) || welcome.pid !== record.pid)
      throw new KeeperError('KEEPER_GONE', `somebody else answers in the place of keeper ${record.pid}`);
    isOpen = true;
    return connection(welcome);
  } catch (error) {
    isClosed = true;
    socket.destroy();
    throw error;
  }

  function connection(welcome: Welcome): KeeperConnection {
    return {
      record,
      welcome,
      order: async (order, limitMs = ORDER_LIMIT_MS) => ask(order, limitMs),
      acknowledge: (sessionId, seq) => {
        if (!socket.destroyed)
          socket.write(`${JSON.stringify({ type: 'ack', sessionId, seq } satisfies Acknowledgement)}\n`);
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

function isWelcome(value: unknown): value is Welcome {
  return isRecord(value) && typeof value.pid === 'number' && Array.isArray(value.sessions);
}
