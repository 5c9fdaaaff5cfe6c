import { connect, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readJsonLines } from '../keeper/json-lines.ts';
import { KeeperError } from '../keeper/keeper-error.ts';
import { isKeeperAlive, readRecord } from '../keeper/record.ts';
import { assertOwnFolder } from '../keeper/socket-path.ts';
import { startKeeperProcess } from '../keeper-process/start-keeper-process.ts';
import { parseFromTerminal } from './parse-messages.ts';
import { type FromTerminal, TERMINAL_PROTOCOL, type TerminalLaunch, type ToTerminal } from './protocol.ts';

export interface TerminalLink {
  send(message: Exclude<ToTerminal, { type: 'hello' }>): void;
  /** Stops reading. After resuming, the keeper sends the screen again. */
  pause(): void;
  resume(): void;
  close(): void;
}

/** Resolves when the agent's terminal is open. */
export function startTerminal(launch: TerminalLaunch): Promise<void> {
  return startKeeperProcess(fileURLToPath(import.meta.resolve('#terminal')), launch.folder, launch);
}

/** Connects as one of many viewers. `gone` is called once, last. Throws KEEPER_GONE if no keeper holds the terminal. */
export async function connectTerminal(
  folder: string,
  viewer: string,
  listener: { receive(message: FromTerminal): void; gone(): void },
): Promise<TerminalLink> {
  const record = readRecord(folder);
  if (!record || !isKeeperAlive(record)) throw new KeeperError('KEEPER_GONE', 'no keeper holds this terminal');
  if (process.platform !== 'win32') assertOwnFolder(dirname(record.socket));
  const socket = await openSocket(record.socket);
  readJsonLines(socket, {
    issue: () => socket.destroy(),
    value: (value) => {
      const message = parseFromTerminal(value);
      if (message) listener.receive(message);
    },
  });
  socket.on('error', () => socket.destroy());
  socket.on('close', () => listener.gone());
  const send = (message: ToTerminal) => {
    if (!socket.destroyed) socket.write(`${JSON.stringify(message)}\n`);
  };
  send({ type: 'hello', protocol: TERMINAL_PROTOCOL, viewer });
  return { send, pause: () => socket.pause(), resume: () => socket.resume(), close: () => socket.destroy() };
}

/** Ends the terminal. Resolves when it has ended or no keeper holds it. */
export async function endTerminal(folder: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  try {
    const link = await connectTerminal(folder, 'daemon', { receive: () => {}, gone: resolve });
    link.send({ type: 'end' });
    await promise;
  } catch {
    // It has already ended.
  }
}

function openSocket(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once('error', ({ message }) =>
      reject(new KeeperError('KEEPER_GONE', `the terminal cannot be reached: ${message}`)),
    );
    socket.once('connect', () => resolve(socket));
  });
}
