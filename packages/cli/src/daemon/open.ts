import type { DaemonClient } from '@agent-mux/api';
import type { FoundDaemon } from '@agent-mux/daemon/start';

/**
 * Runs `work` with the daemon, starting it if needed. A daemon that crashes meanwhile is started again; after an explicit
 * "amux down", the client waits for the next one.
 */
export async function withDaemon(work: (daemon: DaemonClient) => number | Promise<number>): Promise<number> {
  const { createDaemonClient, createHttp } = await import('@agent-mux/api');
  const { daemonLocator } = await import('@agent-mux/daemon/start');
  const http = createHttp(daemonLocator(process.env, { start: true }));
  try {
    return await work(createDaemonClient(http));
  } finally {
    http.close();
  }
}

/** Runs `work` with a running daemon; does not start one. */
export async function withRunningDaemon<Result>(
  found: FoundDaemon,
  work: (daemon: DaemonClient) => Promise<Result>,
): Promise<Result> {
  const { createDaemonClient, createHttp } = await import('@agent-mux/api');
  const http = createHttp(async () => found);
  try {
    return await work(createDaemonClient(http));
  } finally {
    http.close();
  }
}
