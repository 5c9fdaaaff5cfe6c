import type { Session } from '@agent-mux/api';
import { AgentMuxError } from '@agent-mux/core';
import { titleOf } from '../activity/status-text.ts';
import { DaemonError } from '../daemon-error.ts';
import { findManagedSession } from '../hooks/unmanaged.ts';
import type { Actor } from '../service.ts';
import { planFork } from '../workspaces/fork-worktree.ts';
import { worktreeOf } from '../workspaces/worktree.ts';
import { adapterOf, findMode } from './agent-facts.ts';
import { canContinueStored, cannotContinue } from './can-continue.ts';
import { createSession } from './create.ts';
import type { DaemonContext } from './daemon-context.ts';
import { rememberEnvironment } from './environment.ts';
import { restoreSession } from './lifecycle.ts';

/**
 * Creates a session that starts with a copy of another session's conversation and has the same options. It works in the
 * same folder; if that is the worktree of the other session, it gets its own worktree from the same commit.
 */
export async function forkSession(
  ctx: DaemonContext,
  id: string,
  { withChanges = false, ...input }: { prompt?: string; messageId?: string; title?: string; withChanges?: boolean },
  actor: Actor,
): Promise<Session> {
  const source = await findManagedSession(ctx, id);
  const { agent, agentSessionId, cwd, trustProject, tags } = source;
  const adapter = adapterOf(ctx, source);
  const { forkSessionId: _, ...options } = source.options;
  const mode = findMode(adapter, options);
  if (!mode?.capabilities.canFork)
    throw new DaemonError(
      'CAPABILITY_ERROR',
      `${adapter.displayName} cannot fork sessions in mode "${mode?.name ?? ''}"`,
    );
  if (agentSessionId === null) {
    if (!(await canContinueStored(ctx, source))) throw cannotContinue(ctx, source);
    throw new DaemonError('NO_AGENT_SESSION', `cannot fork session ${source.id}: it has no conversation yet`, {
      hint: 'send it a message first',
    });
  }
  const tree = worktreeOf(source);
  if (withChanges && !tree)
    throw new DaemonError(
      'WORKSPACE_ERROR',
      `session ${source.id} has no worktree, so its fork works in the same folder`,
      {
        hint: 'remove --with-changes: the fork sees all files as they are',
      },
    );
  const worktree = tree && (await planFork(source, tree, withChanges));
  const known = ctx.environments.get(source.id);
  const env = Object.fromEntries(source.envNames.map((name) => [name, known?.env[name] ?? ctx.env[name] ?? '']));
  const ofSource = source.title === null || !ctx.settings.storeContent ? '' : `${source.title} (fork)`;
  const title = input.title ?? titleOf(ofSource) ?? undefined;
  return createSession(
    ctx,
    {
      agent,
      cwd: tree ? tree.repository : cwd,
      options,
      env,
      ...(known?.hostEnv ? { hostEnv: { ...known.hostEnv } } : {}),
      trustProject,
      tags,
      ...input,
      ...(title ? { title } : {}),
    },
    actor,
    { forkSessionId: agentSessionId, forkedFrom: source.id, ...(worktree ? { worktree } : {}) },
  );
}

/** Imports a session that an agent stored outside the daemon, in a terminal or an editor. */
export async function importSession(
  ctx: DaemonContext,
  input: { agent: string; agentSessionId: string; cwd?: string; options?: Record<string, unknown> },
  actor: Actor,
): Promise<Session> {
  const { agent, agentSessionId } = input;
  const [imported] = (await ctx.store.listSessions({ agent, agentSessionId, limit: 1 })).rows;
  if (imported) return restoreSession(ctx, imported.id, {}, actor);
  const client = ctx.clientFor({ id: '', cwd: input.cwd ?? '/', trustProject: false });
  const stored = await client.sessions.get(agentSessionId).catch((error: unknown) => {
    if (error instanceof AgentMuxError && error.code === 'SESSION_NOT_FOUND')
      throw new DaemonError('NOT_FOUND', error.message, { hint: 'run "amux sessions --all" to list stored sessions' });
    throw error;
  });
  const cwd = input.cwd ?? stored.cwd;
  if (cwd === undefined)
    throw new DaemonError('VALIDATION_ERROR', 'the agent did not store the folder of this session', {
      hint: 'pass it with -C FOLDER',
    });
  const title = ctx.settings.storeContent ? (titleOf(stored.title ?? '') ?? undefined) : undefined;
  const session = await createSession(
    ctx,
    { agent, cwd, options: input.options ?? {}, ...(title ? { title } : {}) },
    actor,
    { agentSessionId: stored.sessionId },
  );
  rememberEnvironment(ctx, session.id, {});
  return session;
}
