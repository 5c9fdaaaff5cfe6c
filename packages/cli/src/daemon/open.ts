import type { DaemonClient } from '@agent-mux/api';
import type { FoundDaemon } from '@agent-mux/daemon/start';

/**
 * The daemon for one piece of work, started where it does not run. While the work lasts, one that crashes is started again; one
 * that somebody has ended is waited for.
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

/** One that runs; for a piece of work that starts none. */
export async function withFound<Result>(
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
