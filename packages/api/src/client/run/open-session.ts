import { randomUUID } from 'node:crypto';
import type { RunOptions } from '@agent-mux/core';
import { persist } from '../backoff.ts';
import type { DaemonClient } from '../daemon-client.ts';
import { changesOf, type Surroundings, toNewSession } from './launch.ts';
import type { OpenedSession } from './parts.ts';

export interface Opening {
  client: DaemonClient;
  options: RunOptions;
  surroundings: Surroundings;
  /** Of the attachments, once they are with the daemon. */
  files: string[];
  patienceMs: number | undefined;
}

/** A new session, or one that goes on: the agent's own id says which. */
export async function openSession(opening: Opening, signal: AbortSignal): Promise<OpenedSession> {
  const { client, options, surroundings, files, patienceMs } = opening;
  const messageId = randomUUID();
  const given = toNewSession(options, surroundings, { messageId, files });
  const goesOn = options.sessionId ?? options.forkSessionId;
  // A session that was made and not told of would be made twice.
  const once = { patienceMs, signal, isRepeatable: false };
  if (goesOn === undefined) return { session: await persist(() => client.sessions.create(given), once), from: -1 };
  const again = { patienceMs, signal };
  const { agent, cwd } = given;
  const source = await persist(() => client.sessions.takeOver(agent, goesOn, { cwd, options: given.options }), again);
  const session = options.sessionId === undefined ? await persist(() => client.sessions.fork(source.id), once) : source;
  const patch = changesOf(options, session);
  if (patch) await persist(() => client.sessions.change(session.id, patch), again);
  const message = { id: messageId, text: given.prompt ?? '', files, env: given.env };
  await persist(() => client.sessions.send(session.id, message), again);
  return { session, from: session.lastSeq };
}
