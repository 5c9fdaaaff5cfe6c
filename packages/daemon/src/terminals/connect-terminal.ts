import { connect, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startHolder } from '../holder/start-holder.ts';
import { readJsonLines } from '../keeper/json-lines.ts';
import { KeeperError } from '../keeper/keeper-error.ts';
import { isKeeperAlive, readRecord } from '../keeper/record.ts';
import { assertOwnFolder } from '../keeper/socket-place.ts';
import { type FromTerminal, TERMINAL_PROTOCOL, type TerminalLaunch, type ToTerminal } from './protocol.ts';
import { readFromTerminal } from './read-messages.ts';

export interface TerminalLink {
  tell(message: Exclude<ToTerminal, { type: 'hello' }>): void;
  /** Not read from while paused; then the keeper shows the screen anew. */
  pause(): void;
  resume(): void;
  close(): void;
}

/** Resolves when the agent's screen is open. */
export function startTerminal(launch: TerminalLaunch): Promise<void> {
  return startHolder(fileURLToPath(import.meta.resolve('#terminal')), launch.folder, launch);
}

/** As one viewer of many. `gone`: once and last. Throws KEEPER_GONE where nobody holds it. */
export async function connectTerminal(
  folder: string,
  viewer: string,
  listener: { hear(message: FromTerminal): void; gone(): void },
): Promise<TerminalLink> {
  const record = readRecord(folder);
  if (!record || !isKeeperAlive(record)) throw new KeeperError('KEEPER_GONE', 'nobody holds this terminal');
  if (process.platform !== 'win32') assertOwnFolder(dirname(record.socket));
  const socket = await openSocket(record.socket);
  readJsonLines(socket, {
    fault: () => socket.destroy(),
    value: (value) => {
      const message = readFromTerminal(value);
      if (message) listener.hear(message);
    },
  });
  socket.on('error', () => socket.destroy());
  socket.on('close', () => listener.gone());
  const tell = (message: ToTerminal) => {
    if (!socket.destroyed) socket.write(`${JSON.stringify(message)}\n`);
  };
  tell({ type: 'hello', protocol: TERMINAL_PROTOCOL, viewer });
  return { tell, pause: () => socket.pause(), resume: () => socket.resume(), close: () => socket.destroy() };
}

/** Hangs up. Resolves when it has ended, or nobody holds it. */
export async function endTerminal(folder: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  try {
    const link = await connectTerminal(folder, 'daemon', { hear: () => {}, gone: resolve });
    link.tell({ type: 'end' });
    await promise;
  } catch {
    // It has gone by itself.
  }
}

function openSocket(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once('error', ({ message }) => reject(new KeeperError('KEEPER_GONE', `it cannot be reached: ${message}`)));
    socket.once('connect', () => resolve(socket));
  });
}
