import type { Socket } from 'node:net';
import type { TerminalSize } from '@agent-mux/core';
import type { FromTerminal } from './protocol.ts';

/** A viewer with more unread bytes skips output and gets the current screen when it reads again. */
const MAX_UNREAD_BYTES = 1024 * 1024;

interface Viewer {
  name: string;
  socket: Socket;
  size: TerminalSize | null;
  /** The viewer reads too slowly, or has not received a screen yet. */
  needsScreen: boolean;
  /** Messages since the screen was requested, sent right after it. Null: no screen is requested. */
  queued: FromTerminal[] | null;
}

export interface Viewers {
  add(socket: Socket, name: string): void;
  remove(socket: Socket): void;
  has(socket: Socket): boolean;
  /** Sends to all viewers that keep up. */
  broadcast(message: FromTerminal): void;
  /** False if another viewer has the keyboard. */
  mayWrite(socket: Socket): boolean;
  claim(socket: Socket): void;
  setSize(socket: Socket, size: TerminalSize): void;
  /** Sends the screen to viewers that need it. */
  refresh(): void;
  sockets(): Socket[];
}

/** Tracks the viewers and which of them has the keyboard. */
export function createViewers(screen: {
  read(done: (data: string) => void): void;
  size(): TerminalSize;
  resize(size: TerminalSize): void;
}): Viewers {
  const viewers = new Map<Socket, Viewer>();
  let writer: Viewer | null = null;

  const send = (viewer: Viewer, message: FromTerminal) => {
    if (viewer.socket.destroyed) return;
    if (viewer.socket.writableLength > MAX_UNREAD_BYTES) viewer.needsScreen = true;
    else viewer.socket.write(`${JSON.stringify(message)}\n`);
  };
  const broadcast = (message: FromTerminal) => {
    for (const viewer of viewers.values()) {
      if (viewer.queued) viewer.queued.push(message);
      else if (!viewer.needsScreen) send(viewer, message);
    }
  };
  const setWriter = (next: Viewer | null) => {
    if (writer === next) return;
    writer = next;
    broadcast({ type: 'writer', writer: writer?.name ?? null });
    if (writer?.size) fit(writer.size);
  };
  const fit = (size: TerminalSize) => {
    const now = screen.size();
    if (now.cols === size.cols && now.rows === size.rows) return;
    screen.resize(size);
    broadcast({ type: 'size', ...size });
  };
  const refresh = () => {
    for (const viewer of viewers.values()) {
      const isSlow = viewer.socket.writableLength > MAX_UNREAD_BYTES / 2;
      if (!viewer.needsScreen || viewer.queued || isSlow) continue;
      viewer.needsScreen = false;
      viewer.queued = [];
      const { cols, rows } = screen.size();
      screen.read((data) => {
        const queued = viewer.queued ?? [];
        viewer.queued = null;
        send(viewer, { type: 'screen', data, cols, rows, writer: writer?.name ?? null });
        for (const message of queued) if (!viewer.needsScreen) send(viewer, message);
      });
    }
  };

  return {
    add(socket, name) {
      viewers.set(socket, { name, socket, size: null, needsScreen: true, queued: null });
      socket.on('drain', refresh);
      refresh();
    },
    remove(socket) {
      const viewer = viewers.get(socket);
      viewers.delete(socket);
      if (viewer && viewer === writer) setWriter(null);
    },
    has: (socket) => viewers.has(socket),
    broadcast,
    mayWrite(socket) {
      const viewer = viewers.get(socket);
      if (viewer && writer === null) setWriter(viewer);
      return viewer !== undefined && viewer === writer;
    },
    claim: (socket) => setWriter(viewers.get(socket) ?? writer),
    setSize(socket, size) {
      const viewer = viewers.get(socket);
      if (!viewer) return;
      viewer.size = size;
      if (writer === null || writer === viewer) fit(size);
    },
    refresh,
    sockets: () => [...viewers.keys()],
  };
}
