import type { Socket } from 'node:net';
import type { TerminalSize } from '@agent-mux/core';
import type { FromTerminal } from './protocol.ts';

/** A viewer that has more than this unread gets the screen anew when it reads again, and none of what lies between. */
const MOST_UNREAD_BYTES = 1024 * 1024;

interface Viewer {
  name: string;
  socket: Socket;
  size: TerminalSize | null;
  /** It reads too slowly, or has not been shown anything yet. */
  needsScreen: boolean;
  /** What has come since the screen was asked for, which does not show it: told right behind it. Null: it was not asked for. */
  behind: FromTerminal[] | null;
}

export interface Viewers {
  add(socket: Socket, name: string): void;
  remove(socket: Socket): void;
  has(socket: Socket): boolean;
  /** To everybody who can follow. */
  tell(message: FromTerminal): void;
  /** False: somebody else has the keyboard. */
  mayWrite(socket: Socket): boolean;
  claim(socket: Socket): void;
  setSize(socket: Socket, size: TerminalSize): void;
  /** Reads the screen for those who need it. */
  refresh(): void;
  sockets(): Socket[];
}

/** Who watches, and which of them has the keyboard. */
export function keepViewers(screen: {
  read(done: (data: string) => void): void;
  size(): TerminalSize;
  resize(size: TerminalSize): void;
}): Viewers {
  const viewers = new Map<Socket, Viewer>();
  let writer: Viewer | null = null;

  const send = (viewer: Viewer, message: FromTerminal) => {
    if (viewer.socket.destroyed) return;
    if (viewer.socket.writableLength > MOST_UNREAD_BYTES) viewer.needsScreen = true;
    else viewer.socket.write(`${JSON.stringify(message)}\n`);
  };
  const tell = (message: FromTerminal) => {
    for (const viewer of viewers.values()) {
      if (viewer.behind) viewer.behind.push(message);
      else if (!viewer.needsScreen) send(viewer, message);
    }
  };
  const setWriter = (next: Viewer | null) => {
    if (writer === next) return;
    writer = next;
    tell({ type: 'writer', writer: writer?.name ?? null });
    if (writer?.size) fit(writer.size);
  };
  const fit = (size: TerminalSize) => {
    const now = screen.size();
    if (now.cols === size.cols && now.rows === size.rows) return;
    screen.resize(size);
    tell({ type: 'size', ...size });
  };
  const refresh = () => {
    for (const viewer of viewers.values()) {
      const isSlow = viewer.socket.writableLength > MOST_UNREAD_BYTES / 2;
      if (!viewer.needsScreen || viewer.behind || isSlow) continue;
      viewer.needsScreen = false;
      viewer.behind = [];
      const { cols, rows } = screen.size();
      screen.read((data) => {
        const behind = viewer.behind ?? [];
        viewer.behind = null;
        send(viewer, { type: 'screen', data, cols, rows, writer: writer?.name ?? null });
        for (const message of behind) if (!viewer.needsScreen) send(viewer, message);
      });
    }
  };

  return {
    add(socket, name) {
      viewers.set(socket, { name, socket, size: null, needsScreen: true, behind: null });
      socket.on('drain', refresh);
      refresh();
    },
    remove(socket) {
      const viewer = viewers.get(socket);
      viewers.delete(socket);
      if (viewer && viewer === writer) setWriter(null);
    },
    has: (socket) => viewers.has(socket),
    tell,
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
