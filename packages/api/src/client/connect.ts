import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import type { Attachment, RunOptions } from '@agent-mux/core';
import { AgentMuxError } from '@agent-mux/core/light';
import { persist } from './backoff.ts';
import { createDaemonClient, type DaemonClient } from './daemon-client.ts';
import { type Address, createHttp, type Locate } from './http.ts';
import { createRemoteHandle, type RemoteRunHandle } from './run/handle.ts';
import { openSession } from './run/open-session.ts';
import type { RunHost, RunStart } from './run/parts.ts';
import { RemoteRun } from './run/remote-run.ts';

/** Result of `connect`: runs of the SDK and every route of the daemon. */
export interface RemoteClient extends DaemonClient {
  /**
   * Like `run` of the in-process client: same options, same handle. Errors are reported by the handle, since only the daemon knows
   * them. The session belongs to the daemon and keeps running when this process exits.
   */
  run(options: RunOptions): RemoteRunHandle;
  /** Attaches to a run or any session of the daemon by id: events after a seq, then live ones. */
  attach(sessionId: string, options?: AttachOptions): RemoteRunHandle;
  /** Releases everything; sessions keep running. Unfinished handles fail with RUN_ENDED. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface AttachOptions extends Pick<RunOptions, 'onApprovalRequest' | 'onInputRequired' | 'signal'> {
  /** The seq of the last known event; default -1: from the start of the session. */
  after?: number;
  /** As for a run. `true` leaves the session open; by default it is parked when its turn has ended and no message follows. */
  interactive?: boolean;
}

export interface ConnectionOptions {
  /** Location of the daemon, or a function that finds it. */
  at: Address | Locate;
  /** Environment from which agents get their allowed variables; default: that of this process. */
  env?: NodeJS.ProcessEnv;
  /** A project's file can define commands to run. Default: not trusted. */
  trustProject?: boolean;
  /** Milliseconds the daemon may be unreachable before a run fails; default: one minute. */
  patienceMs?: number;
}

/** A client of a daemon. Connects on the first call. */
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

  function start(options: Omit<RunStart, 'upload'>): RemoteRunHandle {
    if (closing.signal.aborted) throw new AgentMuxError('RUN_ENDED', 'the client is closed');
    const run = new RemoteRun(host, { ...options, upload });
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
      const context = { env, cwd: process.cwd(), trustProject };
      return start({
        ...{ runId, agent, mode, tags, interactive, signal },
        callbacks: { onApprovalRequest, onInputRequired },
        after: undefined,
        open: async (noMore) => {
          const files = await upload(options.attachments ?? []);
          return openSession({ client, options, context, files, patienceMs }, noMore);
        },
      });
    },
    attach: (sessionId, { after = -1, interactive = false, signal, ...callbacks } = {}) =>
      start({
        ...{ runId: '', agent: undefined, mode: undefined, tags: [], interactive, signal },
        callbacks,
        after,
        open: async (noMore) => {
          const session = await persist(() => client.sessions.get(sessionId), { patienceMs, signal: noMore });
          // The last event is read again: it shows whether the session waits or has ended.
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
