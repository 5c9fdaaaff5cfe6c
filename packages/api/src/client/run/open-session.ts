import { randomUUID } from 'node:crypto';
import type { RunOptions } from '@agent-mux/core';
import { persist } from '../backoff.ts';
import type { DaemonClient } from '../daemon-client.ts';
import { changesOf, type LaunchContext, toNewSession } from './launch.ts';
import type { OpenedSession } from './parts.ts';

export interface Opening {
  client: DaemonClient;
  options: RunOptions;
  context: LaunchContext;
  /** Ids of the attachments, once uploaded. */
  files: string[];
  patienceMs: number | undefined;
}

/** Creates a session, or resumes one if the options have an agent session id. */
export async function openSession(opening: Opening, signal: AbortSignal): Promise<OpenedSession> {
  const { client, options, context, files, patienceMs } = opening;
  const messageId = randomUUID();
  const body = toNewSession(options, context, { messageId, files });
  const resumed = options.sessionId ?? options.forkSessionId;
  // Not retried: a session whose response was lost would be created twice.
  const once = { patienceMs, signal, isRepeatable: false };
  if (resumed === undefined) return { session: await persist(() => client.sessions.create(body), once), from: -1 };
  const again = { patienceMs, signal };
  const { agent, cwd } = body;
  const source = await persist(
    () => client.sessions.importStored(agent, resumed, { cwd, options: body.options }),
    again,
  );
  const session = options.sessionId === undefined ? await persist(() => client.sessions.fork(source.id), once) : source;
  const patch = changesOf(options, session);
  if (patch) await persist(() => client.sessions.update(session.id, patch), again);
  const message = { id: messageId, text: body.prompt ?? '', files, env: body.env };
  await persist(() => client.sessions.send(session.id, message), again);
  return { session, from: session.lastSeq };
}
