import type { DaemonClient } from '@agent-mux/api';
import { AgentMuxError } from '@agent-mux/core/light';
import { type Found, findDaemon, startDaemon } from './find.ts';

/** The daemon for one piece of work; started where it does not run. */
export async function withDaemon(work: (daemon: DaemonClient) => number | Promise<number>): Promise<number> {
  const { createDaemonClient, createHttp } = await import('@agent-mux/api');
  const http = createHttp(async () => (await findDaemon()) ?? (await startDaemon()));
  try {
    return await work(createDaemonClient(http));
  } finally {
    http.close();
  }
}

/** For whoever watches: a daemon that goes is waited for, and not started again behind the back of the one who ended it. */
export async function watchDaemon(work: (daemon: DaemonClient) => Promise<number>): Promise<number> {
  const { createDaemonClient, createHttp, ApiError } = await import('@agent-mux/api');
  const http = createHttp(async (again) => {
    const found = await findDaemon();
    if (found) return found;
    if (!again) return startDaemon();
    throw new ApiError('NETWORK_ERROR', 'UNREACHABLE', 'the daemon does not run', {
      hint: 'amux up starts it',
      retryable: true,
      sent: false,
    });
  });
  try {
    return await work(createDaemonClient(http));
  } finally {
    http.close();
  }
}

/** One that runs; for a piece of work that starts none. */
export async function withFound<Result>(
  found: Found,
  work: (daemon: DaemonClient) => Promise<Result>,
): Promise<Result> {
  const { createDaemonClient, createHttp } = await import('@agent-mux/api');
  const http = createHttp(async (again) => {
    if (!again) return found;
    throw new AgentMuxError('NETWORK_ERROR', `the daemon at ${found.url} does not answer`, {
      hint: 'amux logs says why',
    });
  });
  try {
    return await work(createDaemonClient(http));
  } finally {
    http.close();
  }
}
