import type { Session } from '@agent-mux/api';
import { AgentMuxError } from '@agent-mux/core';
import { titleOf } from '../activity/last-line.ts';
import { DaemonError } from '../daemon-error.ts';
import { findHere } from '../hooks/by-hand.ts';
import type { Who } from '../service.ts';
import { planFork } from '../workspaces/fork-worktree.ts';
import { worktreeOf } from '../workspaces/worktree.ts';
import { adapterOf, findMode } from './agent-facts.ts';
import { canContinueStored, cannotContinue } from './can-continue.ts';
import { createSession } from './create.ts';
import type { Desk } from './desk.ts';
import { rememberEnvironment } from './environment.ts';
import { restoreSession } from './lifecycle.ts';

/**
 * A new session that starts with a copy of another one's conversation and has the same options. It works in the same folder; where
 * that is the worktree of the other session, it gets its own worktree from the same commit.
 */
export async function forkSession(
  desk: Desk,
  id: string,
  { withChanges = false, ...given }: { prompt?: string; messageId?: string; title?: string; withChanges?: boolean },
  who: Who,
): Promise<Session> {
  const source = await findHere(desk, id);
  const { agent, nativeId, cwd, trustProject, tags } = source;
  const adapter = adapterOf(desk, source);
  const { forkSessionId: _, ...options } = source.options;
  const mode = findMode(adapter, options);
  if (!mode?.capabilities.canFork)
    throw new DaemonError(
      'CAPABILITY_ERROR',
      `${adapter.displayName} in mode "${mode?.name ?? ''}" cannot copy a session`,
    );
  if (nativeId === null) {
    if (!(await canContinueStored(desk, source))) throw cannotContinue(desk, source);
    throw new DaemonError('NO_NATIVE_SESSION', `session ${source.id} has no conversation yet that could be copied`, {
      hint: 'send it a message first',
    });
  }
  const tree = worktreeOf(source);
  if (withChanges && !tree)
    throw new DaemonError(
      'WORKSPACE_ERROR',
      `session ${source.id} has no worktree, so its fork works in the same folder`,
      {
        hint: 'leave --with-changes out: the fork sees all files as they are',
      },
    );
  const worktree = tree && (await planFork(source, tree, withChanges));
  const known = desk.environments.get(source.id);
  const env = Object.fromEntries(source.envNames.map((name) => [name, known?.env[name] ?? desk.env[name] ?? '']));
  const ofSource = source.title === null || !desk.settings.storeActivity ? '' : `${source.title} (fork)`;
  const title = given.title ?? titleOf(ofSource) ?? undefined;
  return createSession(
    desk,
    {
      agent,
      cwd: tree ? tree.repository : cwd,
      options,
      env,
      ...(known?.hostEnv ? { hostEnv: { ...known.hostEnv } } : {}),
      trustProject,
      tags,
      ...given,
      ...(title ? { title } : {}),
    },
    who,
    { forkSessionId: nativeId, forkedFrom: source.id, ...(worktree ? { worktree } : {}) },
  );
}

/** A session that an agent has stored by itself, in a terminal or an editor, goes on as one of ours. */
export async function takeOverSession(
  desk: Desk,
  given: { agent: string; nativeId: string; cwd?: string; options?: Record<string, unknown> },
  who: Who,
): Promise<Session> {
  const { agent, nativeId } = given;
  const [mine] = (await desk.store.listSessions({ agent, nativeId, limit: 1 })).rows;
  if (mine) return restoreSession(desk, mine.id, {}, who);
  const client = desk.clientFor({ id: '', cwd: given.cwd ?? '/', trustProject: false });
  const stored = await client.sessions.get(nativeId).catch((error: unknown) => {
    if (error instanceof AgentMuxError && error.code === 'SESSION_NOT_FOUND')
      throw new DaemonError('NOT_FOUND', error.message, { hint: 'amux sessions --all lists what agents have stored' });
    throw error;
  });
  const cwd = given.cwd ?? stored.cwd;
  if (cwd === undefined)
    throw new DaemonError('VALIDATION_ERROR', 'the agent did not store the folder of this session', {
      hint: 'name it: -C FOLDER',
    });
  const title = desk.settings.storeActivity ? (titleOf(stored.title ?? '') ?? undefined) : undefined;
  const session = await createSession(
    desk,
    { agent, cwd, options: given.options ?? {}, ...(title ? { title } : {}) },
    who,
    { nativeId: stored.sessionId },
  );
  rememberEnvironment(desk, session.id, {});
  return session;
}
