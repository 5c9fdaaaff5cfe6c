import { resolve } from 'node:path';
import type { ConfiguredClient } from '@agent-mux/adapters/client';
import { AgentMuxError, type RunOptions, type SessionSummary } from '@agent-mux/core';
import { type Given, isOn, textFlag } from '../command.ts';
import { findProfile } from '../profiles/find-profile.ts';
import { findNewestSession, findSession, isUnknownSession } from '../sessions/find-session.ts';
import { UsageError } from '../usage-error.ts';

type SessionOption = 'sessionId' | 'forkSessionId';

export interface Chosen {
  agent: string;
  options: Partial<RunOptions>;
  /** The stored session that goes on or is copied, where it was found. */
  session?: SessionSummary;
}

/**
 * Which agent, and which session of it: flags, then the profile, then the agent that the session belongs to, then
 * AMUX_AGENT. The id of a session may be the beginning of one.
 */
export async function chooseSession(
  given: Given,
  client: ConfiguredClient,
  options: Partial<RunOptions>,
): Promise<Chosen> {
  const profile = textFlag(given, 'profile');
  const preset = profile === undefined ? undefined : findProfile(profile, client.profiles);
  const named = textFlag(given, 'agent') ?? preset?.agent;
  const fallback = process.env.AMUX_AGENT || undefined;
  if (isOn(given, 'continue')) return goOnHere(client, options, named);
  const option: SessionOption | undefined =
    options.sessionId !== undefined ? 'sessionId' : options.forkSessionId !== undefined ? 'forkSessionId' : undefined;
  const id = option && options[option];
  // What is stored elsewhere cannot be looked up from here.
  const session =
    id === undefined || options.invocation !== undefined ? undefined : await findStored(client, id, named, fallback);
  const agent = named ?? session?.agent ?? fallback;
  if (agent === undefined) {
    const known = client.adapters.list().map((info) => info.agent);
    throw new UsageError('which agent? Say --agent NAME', `there are: ${known.join(', ')}`);
  }
  if (!option || !session) return { agent, options };
  return { agent, options: { ...options, [option]: session.sessionId }, session };
}

async function goOnHere(
  client: ConfiguredClient,
  options: Partial<RunOptions>,
  named: string | undefined,
): Promise<Chosen> {
  for (const [flag, isGiven] of [
    ['--resume', options.sessionId !== undefined],
    ['--fork', options.forkSessionId !== undefined],
    ['--no-session', options.noSession === true],
    ['--on', options.invocation !== undefined],
  ] as const) {
    if (isGiven) throw new UsageError(`--continue contradicts ${flag}`, '--resume ID names a session');
  }
  const cwd = resolve(options.cwd ?? '.');
  const session = await findNewestSession(client.sessions, cwd, named);
  if (!session) {
    throw new AgentMuxError('SESSION_NOT_FOUND', `there is no session${named ? ` of ${named}` : ''} in ${cwd}`, {
      hint: 'amux sessions --all lists those of all folders; --resume ID goes on with one',
    });
  }
  return { agent: session.agent, options: { ...options, sessionId: session.sessionId }, session };
}

/** Undefined: it is not known here, and the agent that was named may know it. */
async function findStored(
  client: ConfiguredClient,
  id: string,
  named: string | undefined,
  fallback: string | undefined,
): Promise<SessionSummary | undefined> {
  try {
    return await findSession(client.sessions, id, named);
  } catch (error) {
    if (!isUnknownSession(error)) throw error;
    if (named === undefined && fallback === undefined) throw error;
    if (named === undefined) return undefined;
    // opencode-http and agent-mux-remote store no sessions here: theirs may be listed under the agent that does.
    if (client.adapterNamed(named).sessionStore === undefined) return undefined;
    const other = await findSession(client.sessions, id).catch(() => undefined);
    if (!other) return undefined;
    throw new UsageError(
      `session ${other.sessionId} is one of ${other.agent}, not of ${named}`,
      `--agent ${other.agent}, or no --agent at all`,
    );
  }
}
