import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { createConfiguredClient } from '@agent-mux/adapters/client';
import { getHostToken } from '@agent-mux/core';
import { reporterFor } from '../hooks/reporter-command.ts';
import { readJsonLines } from '../keeper/json-lines.ts';
import type { KeeperRecord } from '../keeper/protocol.ts';
import { claimFolder, processStartTime, releaseFolder } from '../keeper/record.ts';
import { chooseSocketPath } from '../keeper/socket-path.ts';
import { parseToTerminal } from './parse-messages.ts';
import { type FromTerminal, TERMINAL_PROTOCOL, type TerminalExit, type TerminalLaunch } from './protocol.ts';
import { isTerminalReply, openScreen } from './screen.ts';
import { createViewers } from './viewers.ts';

/** File with the screen at the time the program exited. */
export const LAST_SCREEN = 'last-screen.json';
/** Time a client has to send hello. */
const HELLO_TIMEOUT_MS = 10_000;
const MAX_CONNECTIONS = 64;
/** Time viewers have to read the rest. */
const DRAIN_TIMEOUT_MS = 2000;

export interface TerminalKeeper {
  over: Promise<void>;
  leave(): void;
}

/** Runs the agent's terminal in this process. The program sees one terminal, however many viewers connect. */
export async function runTerminal(launch: TerminalLaunch, version: string): Promise<TerminalKeeper> {
  const { folder, hostEnv, trustProject, agent, env, start } = launch;
  const client = createConfiguredClient({ env: hostEnv, trustProject, cwd: start.cwd });
  const over = Promise.withResolvers<void>();
  const record: KeeperRecord = {
    schema: 'agent-mux.keeper/1',
    protocol: TERMINAL_PROTOCOL,
    ...{ version, pid: process.pid, startTime: processStartTime(), group: null, mark: getHostToken() },
    socket: chooseSocketPath(folder, { isShared: false }),
  };
  const screen = openScreen(start.size, {
    reply: (data) => opened?.write(data),
    isFull: (isFull) => (isFull ? opened?.pause() : opened?.resume()),
  });
  const viewers = createViewers({
    ...screen,
    resize: (size) => {
      screen.resize(size);
      opened?.resize(size);
    },
  });
  const server = createServer(receive);
  server.maxConnections = MAX_CONNECTIONS;
  await listen(server, record.socket);
  let opened: Awaited<ReturnType<typeof client.openTerminal>> | undefined;
  try {
    claimFolder(folder, record);
    const variables = { ...env, AGENT_MUX_SESSION_ID: launch.sessionId };
    const hooks = start.hooks ? reporterFor(agent) : false;
    opened = await client.openTerminal({ agent, ...start, hooks, env: variables }, (bytes) => {
      const data = screen.draw(bytes);
      if (data !== '') viewers.broadcast({ type: 'data', data });
    });
  } catch (error) {
    await leave();
    throw error;
  }
  void opened.exited.then(end);

  function receive(socket: Socket): void {
    const timeout = setTimeout(() => socket.destroy(), HELLO_TIMEOUT_MS);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      clearTimeout(timeout);
      viewers.remove(socket);
    });
    readJsonLines(socket, {
      issue: () => socket.destroy(),
      value: (value) => {
        const message = parseToTerminal(value);
        if (message?.type === 'hello') {
          clearTimeout(timeout);
          if (message.protocol === TERMINAL_PROTOCOL) viewers.add(socket, message.viewer);
          else refuse(socket, `unsupported protocol version; expected ${TERMINAL_PROTOCOL}`);
        } else if (!message || !viewers.has(socket)) socket.destroy();
        else if (message.type === 'input') type(socket, message.data);
        else if (message.type === 'size') viewers.setSize(socket, { cols: message.cols, rows: message.rows });
        else if (message.type === 'claim') viewers.claim(socket);
        else void opened?.end();
      },
    });
  }

  function type(socket: Socket, data: string): void {
    if (isTerminalReply(data)) return;
    if (viewers.mayWrite(socket)) opened?.write(data);
    else send(socket, { type: 'rejected', reason: 'another viewer has the keyboard' });
  }

  async function end(exit: TerminalExit): Promise<void> {
    const data = await new Promise<string>((resolve) => screen.read(resolve));
    try {
      const last = { ...screen.size(), data, exit };
      writeFileSync(join(folder, LAST_SCREEN), JSON.stringify(last), { mode: 0o600 });
    } catch (error) {
      console.error(`could not save the last screen: ${String(error)}`);
    }
    viewers.refresh();
    viewers.broadcast({ type: 'ended', exit });
    await leave();
  }

  async function leave(): Promise<void> {
    server.close();
    await Promise.all(viewers.sockets().map(drain));
    await client.close();
    screen.dispose();
    releaseFolder(folder, record);
    if (process.platform !== 'win32') rmSync(record.socket, { force: true });
    over.resolve();
  }

  return { over: over.promise, leave: () => void opened?.end() };
}

function send(socket: Socket, message: FromTerminal): void {
  if (!socket.destroyed) socket.write(`${JSON.stringify(message)}\n`);
}

function refuse(socket: Socket, reason: string): void {
  socket.end(`${JSON.stringify({ type: 'rejected', reason } satisfies FromTerminal)}\n`);
}

function drain(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const timeout = setTimeout(() => socket.destroy(), DRAIN_TIMEOUT_MS);
    socket.once('close', () => {
      clearTimeout(timeout);
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
