import type { Socket } from 'node:net';

/**
 * Tracks connections. A connection is unauthenticated until a request on it has a valid token or login. At the limit,
 * the oldest unauthenticated connection is closed, so that idle connections cannot lock out authenticated callers.
 */
export interface Connections {
  accept(socket: Socket): void;
  /** Marks the connection as authenticated. */
  admit(socket: Socket): void;
}

export function createConnections(max: number): Connections {
  /** Oldest first. */
  const unauthenticated = new Set<Socket>();
  const authenticated = new Set<Socket>();
  return {
    accept(socket) {
      if (unauthenticated.size + authenticated.size >= max) {
        const [oldest] = unauthenticated;
        if (oldest === undefined) {
          socket.destroy();
          return;
        }
        unauthenticated.delete(oldest);
        oldest.destroy();
      }
      unauthenticated.add(socket);
      socket.once('close', () => {
        unauthenticated.delete(socket);
        authenticated.delete(socket);
      });
    },
    admit(socket) {
      if (unauthenticated.delete(socket)) authenticated.add(socket);
    },
  };
}
