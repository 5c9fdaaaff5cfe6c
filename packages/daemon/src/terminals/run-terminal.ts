import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { createConfiguredClient } from '@agent-mux/adapters/client';
import { hostMark } from '@agent-mux/core';
import { reporterFor } from '../hooks/reporter-command.ts';
import { readJsonLines } from '../keeper/json-lines.ts';
import type { KeeperRecord } from '../keeper/protocol.ts';
import { claimFolder, ownStartTime, releaseFolder } from '../keeper/record.ts';
import { chooseSocket } from '../keeper/socket-place.ts';
import { type FromTerminal, TERMINAL_PROTOCOL, type TerminalExit, type TerminalLaunch } from './protocol.ts';
import { readToTerminal } from './read-messages.ts';
import { isAnswer, openScreen } from './screen.ts';
import { keepViewers } from './viewers.ts';

/** What the screen looked like when the program ended. */
export const LAST_SCREEN = 'last-screen.json';
/** Who connects says hello within this time. */
const HELLO_LIMIT_MS = 10_000;
const MOST_CONNECTIONS = 64;
/** Viewers may take so long to read the rest. */
const LAST_WORDS_MS = 2000;

export interface TerminalKeeper {
  over: Promise<void>;
  leave(): void;
}

/** The agent's screen, held by this process: whoever comes and goes, the program sees one terminal. */
export async function runTerminal(launch: TerminalLaunch, version: string): Promise<TerminalKeeper> {
  const { folder, hostEnv, trustProject, agent, env, start } = launch;
  const client = createConfiguredClient({ env: hostEnv, trustProject, cwd: start.cwd });
  const over = Promise.withResolvers<void>();
  const record: KeeperRecord = {
    schema: 'agent-mux.keeper/1',
    protocol: TERMINAL_PROTOCOL,
    ...{ version, pid: process.pid, startTime: ownStartTime(), group: null, mark: hostMark() },
    socket: chooseSocket(folder, { isShared: false }),
  };
  const screen = openScreen(start.size, {
    answer: (data) => opened?.write(data),
    isFull: (isFull) => (isFull ? opened?.pause() : opened?.resume()),
  });
  const viewers = keepViewers({
    ...screen,
    resize: (size) => {
      screen.resize(size);
      opened?.resize(size);
    },
  });
  const server = createServer(receive);
  server.maxConnections = MOST_CONNECTIONS;
  await listen(server, record.socket);
  let opened: Awaited<ReturnType<typeof client.openTerminal>> | undefined;
  try {
    claimFolder(folder, record);
    const variables = { ...env, AGENT_MUX_SESSION_ID: launch.sessionId };
    const hooks = start.hooks ? reporterFor(agent) : false;
    opened = await client.openTerminal({ agent, ...start, hooks, env: variables }, (bytes) => {
      const data = screen.draw(bytes);
      if (data !== '') viewers.tell({ type: 'data', data });
    });
  } catch (error) {
    await leave();
    throw error;
  }
  void opened.exited.then(end);

  function receive(socket: Socket): void {
    const patience = setTimeout(() => socket.destroy(), HELLO_LIMIT_MS);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      clearTimeout(patience);
      viewers.remove(socket);
    });
    readJsonLines(socket, {
      fault: () => socket.destroy(),
      value: (value) => {
        const message = readToTerminal(value);
        if (message?.type === 'hello') {
          clearTimeout(patience);
          if (message.protocol === TERMINAL_PROTOCOL) viewers.add(socket, message.viewer);
          else refuse(socket, `this terminal speaks version ${TERMINAL_PROTOCOL}`);
        } else if (!message || !viewers.has(socket)) socket.destroy();
        else if (message.type === 'input') type(socket, message.data);
        else if (message.type === 'size') viewers.setSize(socket, { cols: message.cols, rows: message.rows });
        else if (message.type === 'claim') viewers.claim(socket);
        else void opened?.end();
      },
    });
  }

  function type(socket: Socket, data: string): void {
    if (isAnswer(data)) return;
    if (viewers.mayWrite(socket)) opened?.write(data);
    else tell(socket, { type: 'refused', reason: 'somebody else has the keyboard' });
  }

  async function end(exit: TerminalExit): Promise<void> {
    const data = await new Promise<string>((resolve) => screen.read(resolve));
    try {
      const last = { ...screen.size(), data, exit };
      writeFileSync(join(folder, LAST_SCREEN), JSON.stringify(last), { mode: 0o600 });
    } catch (error) {
      console.error(`the last screen cannot be kept: ${String(error)}`);
    }
    viewers.refresh();
    viewers.tell({ type: 'ended', exit });
    await leave();
  }

  async function leave(): Promise<void> {
    server.close();
    await Promise.all(viewers.sockets().map(lastWords));
    await client.close();
    screen.dispose();
    releaseFolder(folder, record);
    if (process.platform !== 'win32') rmSync(record.socket, { force: true });
    over.resolve();
  }

  return { over: over.promise, leave: () => void opened?.end() };
}

function tell(socket: Socket, message: FromTerminal): void {
  if (!socket.destroyed) socket.write(`${JSON.stringify(message)}\n`);
}

function refuse(socket: Socket, reason: string): void {
  socket.end(`${JSON.stringify({ type: 'refused', reason } satisfies FromTerminal)}\n`);
}

function lastWords(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const patience = setTimeout(() => socket.destroy(), LAST_WORDS_MS);
    socket.once('close', () => {
      clearTimeout(patience);
      resolve();
    });
    if (socket.destroyed) resolve();
    else socket.end();
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
