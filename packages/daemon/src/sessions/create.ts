import { rm, stat } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import type { NewSession, Session } from '@agent-mux/api';
import { findOptionIssues } from '@agent-mux/core';
import { DaemonError, toDaemonError } from '../daemon-error.ts';
import type { Actor } from '../service.ts';
import type { StoredSession } from '../store/store.ts';
import { removeWorktree } from '../workspaces/save-work.ts';
import { createWorktree, dropUnfinished, type WorktreeOptions, worktreeOf } from '../workspaces/worktree.ts';
import { type DaemonContext, notifyChange } from './daemon-context.ts';
import { deliverNext } from './deliver.ts';
import { emptyRow } from './empty-row.ts';
import { rememberEnvironment } from './environment.ts';
import { createMessageId, createSessionId } from './ids.ts';
import { addMessage } from './send.ts';

/** Options that the daemon sets, or that only make sense within one process. */
const NOT_FOR_SESSIONS = [
  'agent',
  'prompt',
  'cwd',
  'env',
  'sessionId',
  'forkSessionId',
  'noSession',
  'runId',
  'interactive',
  'signal',
  'onApprovalRequest',
  'onInputRequired',
  'attachments',
];

export interface SessionOrigin {
  agentSessionId?: string;
  forkSessionId?: string;
  forkedFrom?: string;
  summary?: string;
  /** Start commit of the worktree of a fork, and the folder in it to work in. */
  worktree?: WorktreeOptions & { inner: string };
}

/** Validates the options and creates nothing. */
export async function checkNewSession(ctx: DaemonContext, input: NewSession): Promise<void> {
  assertTitleAllowed(ctx, input.title);
  const cwd = await checkFolder(input.cwd);
  checkOptions(input.options ?? {});
  // Throws if the agent is unknown, or defined by a folder that is not trusted.
  ctx.clientFor({ id: '', cwd, trustProject: input.trustProject ?? false }).adapters.get(input.agent);
}

/**
 * Creates the row, then the workspace, then the keeper, so that any intermediate state is visible and can be undone.
 * Idempotent if the caller chose the id: a session that a daemon left incomplete is completed.
 */
export async function createSession(
  ctx: DaemonContext,
  input: NewSession,
  actor: Actor,
  origin: SessionOrigin = {},
): Promise<Session> {
  await checkNewSession(ctx, input);
  const options = input.options ?? {};
  const id = input.id ?? createSessionId();
  const { env = {}, hostEnv, prompt, worktree = false, files = [] } = input;
  const messageId = input.messageId ?? (input.id === undefined ? createMessageId() : `first-${id}`);
  const hasMessage = prompt !== undefined || files.length > 0;
  return ctx.mutex.run(id, async () => {
    const before = input.id === undefined ? null : await ctx.store.getSession(id);
    if (before && (await isComplete(ctx, before, { messageId: hasMessage ? messageId : null, worktree })))
      return before;
    rememberEnvironment(ctx, id, { env, hostEnv });
    const row = rowOf(ctx, { id, cwd: resolve(input.cwd), options, origin }, input);
    if (!before) await ctx.store.insertSession(row);
    try {
      if (!before || !worktreeOf(before))
        await prepareWorkspace(ctx, row, origin.worktree ?? worktree, before !== null);
      if (hasMessage) {
        await addMessage(ctx, id, { id: messageId, text: prompt ?? '', files }, 'queue', actor);
        await deliverNext(ctx, id);
        const sent = await ctx.store.getMessage(id, messageId);
        if (sent?.state === 'failed' && sent.error) throw toDaemonError(sent.error);
      }
    } catch (error) {
      await undo(ctx, id);
      throw error;
    }
    await ctx.store.appendAudit({
      timestamp: ctx.now(),
      actor,
      action: 'session.create',
      sessionId: id,
      detail: { agent: input.agent },
    });
    notifyChange(ctx);
    const session = await ctx.store.getSession(id);
    if (!session) throw new DaemonError('NOT_FOUND', `session ${id} was deleted in the meantime`);
    return session;
  });
}

/** A title is content; one that is not stored would be lost at the next restart. */
export function assertTitleAllowed(
  { settings }: Pick<DaemonContext, 'settings'>,
  title: string | null | undefined,
): void {
  if (settings.storeContent || title === undefined || title === null) return;
  throw new DaemonError('VALIDATION_ERROR', 'titles are not stored: daemon.storeContent is false', {
    hint: 'remove the title; tags are stored',
    issues: [{ field: 'title', problem: 'is not stored' }],
  });
}

async function isComplete(
  ctx: DaemonContext,
  session: Session,
  expected: { messageId: string | null; worktree: NonNullable<NewSession['worktree']> },
): Promise<boolean> {
  if (expected.worktree !== false && !worktreeOf(session)) return false;
  return expected.messageId === null || (await ctx.store.getMessage(session.id, expected.messageId)) !== null;
}

async function undo(ctx: DaemonContext, id: string): Promise<void> {
  const worktree = worktreeOf((await ctx.store.getSession(id)) ?? { workspace: { kind: 'folder', path: '/' } });
  if (worktree)
    await removeWorktree(id, worktree, ctx.paths.saved).catch((error) => ctx.log(`${id}: ${String(error)}`));
  await ctx.store.deleteSession(id);
  ctx.environments.delete(id);
  // A keeper that refused the launch has written a log.
  await rm(join(ctx.paths.sessions, id), { recursive: true, force: true });
}

async function prepareWorkspace(
  ctx: DaemonContext,
  row: StoredSession,
  options: NonNullable<NewSession['worktree']> | NonNullable<SessionOrigin['worktree']>,
  again: boolean,
): Promise<void> {
  if (options === false) return;
  const location = { cwd: row.cwd, id: row.id, folder: ctx.paths.worktrees };
  if (again) await dropUnfinished(location);
  const { workspace, cwd } = await createWorktree(location, options === true ? {} : options);
  const inner = typeof options === 'object' && 'inner' in options ? join(cwd, options.inner) : cwd;
  const exists = (await stat(inner).catch(() => null))?.isDirectory() ?? false;
  await ctx.store.updateSession(row.id, { workspace, cwd: exists ? inner : cwd });
}

function rowOf(
  ctx: DaemonContext,
  { id, cwd, options, origin }: { id: string; cwd: string; options: Record<string, unknown>; origin: SessionOrigin },
  input: NewSession,
): StoredSession {
  const { forkSessionId, agentSessionId = null, forkedFrom = null } = origin;
  const summary = ctx.settings.storeContent ? (origin.summary ?? null) : null;
  const onLimit = input.onLimit ?? ctx.settings.onLimit;
  return {
    ...emptyRow({ id, agent: input.agent, cwd, onLimit, now: ctx.now() }),
    mode: typeof options.mode === 'string' ? options.mode : null,
    agentSessionId,
    title: input.title ?? null,
    summary,
    model: typeof options.model === 'string' ? options.model : null,
    approvalMode: typeof options.approvalMode === 'string' ? options.approvalMode : 'prompt',
    options: { ...options, ...(forkSessionId === undefined ? {} : { forkSessionId }) },
    envNames: Object.keys(input.env ?? {}),
    trustProject: input.trustProject ?? false,
    budget: input.budget ?? null,
    forkedFrom,
    tags: input.tags ?? [],
    metadata: {
      ...(input.title === undefined ? {} : { title: input.title, titleBy: 'user' }),
      ...(agentSessionId === null ? {} : { agentSessionId: agentSessionId }),
      ...(summary === null ? {} : { summary }),
    },
  };
}

async function checkFolder(path: string): Promise<string> {
  if (!isAbsolute(path)) throw new DaemonError('VALIDATION_ERROR', `cwd must be an absolute path: "${path}"`);
  const found = await stat(path).catch(() => null);
  if (!found?.isDirectory())
    throw new DaemonError('VALIDATION_ERROR', `folder not found: ${path}`, {
      hint: 'create it, or use another folder',
    });
  return resolve(path);
}

function checkOptions(options: Record<string, unknown>): void {
  const invalid = NOT_FOR_SESSIONS.filter((name) => options[name] !== undefined);
  const issues = [
    ...invalid.map((name) => ({ field: `options.${name}`, problem: 'is not a session option' })),
    ...findOptionIssues(options).map(({ field, problem }) => ({ field: `options.${field}`, problem })),
  ];
  if (issues.length > 0)
    throw new DaemonError('VALIDATION_ERROR', issues.map(({ field, problem }) => `${field} ${problem}`).join('; '), {
      issues,
    });
}
