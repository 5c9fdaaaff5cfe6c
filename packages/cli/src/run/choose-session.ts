import { resolve } from 'node:path';
import type { ConfiguredClient } from '@agent-mux/adapters/client';
import { AgentMuxError, type RunOptions, type SessionSummary } from '@agent-mux/core';
import { hasFlag, type ParsedArgs, stringFlag } from '../command.ts';
import { findProfile } from '../profiles/find-profile.ts';
import { findNewestSession, findSession, isUnknownSession } from '../sessions/find-session.ts';
import { UsageError } from '../usage-error.ts';

type SessionOption = 'sessionId' | 'forkSessionId';

export interface Chosen {
  agent: string;
  options: Partial<RunOptions>;
  /** The stored session to resume or copy, if found. */
  session?: SessionSummary;
}

/**
 * Resolves the agent and the session: flags first, then the profile, then the agent of the session, then AMUX_AGENT. A session
 * id may be a unique prefix.
 */
export async function chooseSession(
  args: ParsedArgs,
  client: ConfiguredClient,
  options: Partial<RunOptions>,
): Promise<Chosen> {
  const profile = stringFlag(args, 'profile');
  const preset = profile === undefined ? undefined : findProfile(profile, client.profiles);
  const named = stringFlag(args, 'agent') ?? preset?.agent;
  const fallback = process.env.AMUX_AGENT || undefined;
  if (hasFlag(args, 'continue')) return resumeLatest(client, options, named);
  const option: SessionOption | undefined =
    options.sessionId !== undefined ? 'sessionId' : options.forkSessionId !== undefined ? 'forkSessionId' : undefined;
  const id = option && options[option];
  // Sessions on a remote target cannot be looked up locally.
  const session =
    id === undefined || options.invocation !== undefined ? undefined : await findStored(client, id, named, fallback);
  const agent = named ?? session?.agent ?? fallback;
  if (agent === undefined) {
    const known = client.adapters.list().map((info) => info.agent);
    throw new UsageError('missing --agent', `use one of: ${known.join(', ')}`);
  }
  if (!option || !session) return { agent, options };
  return { agent, options: { ...options, [option]: session.sessionId }, session };
}

async function resumeLatest(
  client: ConfiguredClient,
  options: Partial<RunOptions>,
  named: string | undefined,
): Promise<Chosen> {
  for (const [flag, isSet] of [
    ['--resume', options.sessionId !== undefined],
    ['--fork', options.forkSessionId !== undefined],
    ['--no-session', options.noSession === true],
    ['--on', options.invocation !== undefined],
  ] as const) {
    if (isSet)
      throw new UsageError(`--continue and ${flag} are mutually exclusive`, 'use --resume ID to choose a session');
  }
  const cwd = resolve(options.cwd ?? '.');
  const session = await findNewestSession(client.sessions, cwd, named);
  if (!session) {
    throw new AgentMuxError('SESSION_NOT_FOUND', `no session${named ? ` of ${named}` : ''} in ${cwd}`, {
      hint: 'run "amux sessions --all" to list sessions of all folders; use --resume ID to resume one',
    });
  }
  return { agent: session.agent, options: { ...options, sessionId: session.sessionId }, session };
}

/** Undefined if the session is unknown here; the named agent may know it. */
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
      `session ${other.sessionId} belongs to ${other.agent}, not to ${named}`,
      `use --agent ${other.agent}, or omit --agent`,
    );
  }
}
