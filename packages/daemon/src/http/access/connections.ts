import type { Socket } from 'node:net';

/**
 * Who is connected. A connection counts as a stranger until a request on it has shown a good token or login. When there is no room,
 * the oldest stranger is closed: connections that only wait cannot lock out callers who have something to show.
 */
export interface Connections {
  accept(socket: Socket): void;
  /** A request on it was identified: it stays. */
  admit(socket: Socket): void;
}

export function createConnections(most: number): Connections {
  /** The oldest first. */
  const strangers = new Set<Socket>();
  const known = new Set<Socket>();
  return {
    accept(socket) {
      if (strangers.size + known.size >= most) {
        const [oldest] = strangers;
        if (oldest === undefined) {
          socket.destroy();
          return;
        }
        strangers.delete(oldest);
        oldest.destroy();
      }
      strangers.add(socket);
      socket.once('close', () => {
        strangers.delete(socket);
        known.delete(socket);
      });
    },
    admit(socket) {
      if (strangers.delete(socket)) known.add(socket);
    },
  };
}
