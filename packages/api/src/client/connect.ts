import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import type { Attachment, RunOptions } from '@agent-mux/core';
import { AgentMuxError } from '@agent-mux/core/light';
import { persist } from './backoff.ts';
import { createDaemonClient, type DaemonClient } from './daemon-client.ts';
import { type Address, createHttp, type Locate } from './http.ts';
import { createRemoteHandle, type RemoteRunHandle } from './run/handle.ts';
import { openSession } from './run/open-session.ts';
import type { RunBeginning, RunHost } from './run/parts.ts';
import { RemoteRun } from './run/remote-run.ts';

/** What `connect` returns: the runs of the SDK and every route of the daemon. */
export interface RemoteClient extends DaemonClient {
  /**
   * As `run` of the client in process: the same options, the same handle. What is wrong is told by the handle, since only the daemon
   * knows it. The session stays with the daemon: when this process ends, it goes on.
   */
  run(options: RunOptions): RemoteRunHandle;
  /** A run, or any session of the daemon, taken up by its id: what came after a seq, and on. */
  attach(sessionId: string, options?: AttachOptions): RemoteRunHandle;
  /** Lets go of everything; sessions go on. Handles that are not done fail with RUN_ENDED. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface AttachOptions extends Pick<RunOptions, 'onApprovalRequest' | 'onInputRequired' | 'signal'> {
  /** The seq of the last event that is known; default -1: from the beginning of the session. */
  after?: number;
  /** As of a run. `true` leaves the session as it is; by default it is parked when its turn has ended and nobody sends another. */
  interactive?: boolean;
}

export interface ConnectionOptions {
  /** Where the daemon is, or how it is found. */
  at: Address | Locate;
  /** The environment that agents get their allowed variables from; default that of this process. */
  env?: NodeJS.ProcessEnv;
  /** What a project's own file defines runs commands of whoever wrote it. Default: refused. */
  trustProject?: boolean;
  /** So long, in milliseconds, may the daemon be out of reach before a run is given up; default a minute. */
  patienceMs?: number;
}

/** A client of a daemon. Nothing is sent before something is asked for. */
export function connectTo({
  at,
  env = process.env,
  trustProject = false,
  patienceMs,
}: ConnectionOptions): RemoteClient {
  const http = createHttp(typeof at === 'function' ? at : async () => at);
  const client = createDaemonClient(http);
  const closing = new AbortController();
  const host: RunHost = { client, patienceMs, closed: closing.signal };
  const upload = (attachments: readonly Attachment[]) => uploadAll(client, attachments);

  function begin(beginning: Omit<RunBeginning, 'upload'>): RemoteRunHandle {
    if (closing.signal.aborted) throw new AgentMuxError('RUN_ENDED', 'the client is closed');
    const run = new RemoteRun(host, { ...beginning, upload });
    run.start();
    return createRemoteHandle(run);
  }

  async function close(): Promise<void> {
    closing.abort();
    http.close();
  }

  return {
    ...client,
    run: (options) => {
      const { runId = randomUUID(), agent, mode, tags = [], interactive = false, signal } = options;
      const { onApprovalRequest, onInputRequired } = options;
      const surroundings = { env, cwd: process.cwd(), trustProject };
      return begin({
        ...{ runId, agent, mode, tags, interactive, signal },
        callbacks: { onApprovalRequest, onInputRequired },
        after: undefined,
        open: async (noMore) => {
          const files = await upload(options.attachments ?? []);
          return openSession({ client, options, surroundings, files, patienceMs }, noMore);
        },
      });
    },
    attach: (sessionId, { after = -1, interactive = false, signal, ...callbacks } = {}) =>
      begin({
        ...{ runId: '', agent: undefined, mode: undefined, tags: [], interactive, signal },
        callbacks,
        after,
        open: async (noMore) => {
          const session = await persist(() => client.sessions.get(sessionId), { patienceMs, signal: noMore });
          // The last one comes again, also where it was told already: it says whether the session waits, or has ended.
          return { session, from: Math.max(-1, Math.min(after, session.lastSeq - 1)) };
        },
      }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function uploadAll(client: DaemonClient, attachments: readonly Attachment[]): Promise<string[]> {
  const ids: string[] = [];
  for (const { path, name = basename(path), mimeType } of attachments)
    ids.push((await client.files.upload(name, path, mimeType)).id);
  return ids;
}
