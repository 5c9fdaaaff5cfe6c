import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RemovedSession, Session, SessionPatch } from '@agent-mux/api';
import { messageOf } from '@agent-mux/core';
import { STOPPED_PREFIX } from '../activity/reduce-activity.ts';
import { DaemonError } from '../daemon-error.ts';
import { assertNotInTerminal, findManagedSession, stopUnmanaged } from '../hooks/unmanaged.ts';
import { isKeeperAlive, readRecord } from '../keeper/record.ts';
import type { Actor } from '../service.ts';
import { findUserOf, rememberWorktree } from '../workspaces/known-worktrees.ts';
import { removeWorktree } from '../workspaces/save-work.ts';
import { dropScratch } from '../workspaces/scratch.ts';
import { restoreWorktree, worktreeOf } from '../workspaces/worktree.ts';
import { adoptOrReconcile, hasLiveProcess } from './adopt.ts';
import { canContinueStored, cannotContinue, keeperUnreachable, sessionEnded } from './can-continue.ts';
import { cleanUpRejected } from './clean-up-rejected.ts';
import { assertTitleAllowed } from './create.ts';
import { type DaemonContext, isOver, type LiveSession, notifyChange } from './daemon-context.ts';
import { deliverNext } from './deliver.ts';
import { rememberEnvironment } from './environment.ts';
import { findSession } from './find.ts';
import { isKeeperGone } from './keeper-link.ts';
import { findOrphanedKeeper, forgetKeeper } from './keepers/keeper-identity.ts';
import { assertParkable, parkLive } from './parking.ts';
import { clearIdentity, dropIdentities } from './reported.ts';

/** An agent that does not end within this time is killed with its keeper. */
const STOP_TIMEOUT_MS = 15_000;
/** A keeper acknowledges the request to end at once, unless it is stopped or hangs. */
const ACK_TIMEOUT_MS = 5000;
const POLL_MS = 20;

export async function changeSession(
  ctx: DaemonContext,
  id: string,
  patch: SessionPatch,
  actor: Actor,
): Promise<Session> {
  const session = await findSession(ctx, id);
  return ctx.mutex.run(session.id, async () => {
    const { title, pinned, model, approvalMode, onLimit, budget, dismissed } = patch;
    assertTitleAllowed(ctx, title);
    const live = ctx.live.get(session.id);
    const settings = {
      ...(model === undefined ? {} : { model }),
      ...(approvalMode === undefined ? {} : { approvalMode }),
    };
    if (live?.link && !isOver(live) && (model !== undefined || approvalMode !== undefined))
      await live.link.request({ type: 'set', sessionId: session.id, ...settings }).catch((error: unknown) => {
        // A process that has ended needs no change: the next one is launched with the stored options. One that lives
        // behind a
        // lost connection would keep the old permission mode.
        if (!isKeeperGone(error) || (live.link && isKeeperAlive(live.link.record))) throw error;
      });
    const options = { ...session.options, ...settings };
    if (title !== undefined) live?.projector.setTitle(title);
    const { titleBy: _, title: _before, ...metadata } = session.metadata;
    const changed = await ctx.store.updateSession(session.id, {
      ...(title === undefined
        ? {}
        : { title, metadata: title === null ? metadata : { ...metadata, title, titleBy: 'user' } }),
      ...(pinned === undefined ? {} : { pinned }),
      ...(model === undefined ? {} : { model }),
      ...(approvalMode === undefined ? {} : { approvalMode }),
      ...(onLimit === undefined ? {} : { onLimit }),
      ...(budget === undefined ? {} : { budget }),
      ...(dismissed === undefined ? {} : { dismissed }),
      options,
      updatedAt: ctx.now(),
    });
    const unexpected = [
      ...(model === undefined ? [] : (['model'] as const)),
      ...(approvalMode === undefined ? [] : (['permissionMode'] as const)),
    ];
    await clearIdentity(ctx.store, session.id, unexpected, ctx.now());
    await audit(ctx, actor, 'session.change', session.id, { ...patch });
    if (onLimit !== undefined) await ctx.governor.reconsider(session.id);
    if (budget !== undefined) await deliverNext(ctx, session.id);
    return onLimit === undefined && budget === undefined ? (changed ?? session) : findSession(ctx, session.id);
  });
}

export async function interruptSession(ctx: DaemonContext, id: string, actor: Actor): Promise<Session> {
  const session = await findManagedSession(ctx, id);
  const live = ctx.live.get(session.id);
  if (isUnreachable(ctx, session)) throw keeperUnreachable(session);
  const noTurn = new DaemonError('NO_ACTIVE_TURN', `no turn of session ${session.id} is running`, {
    hint: 'check its state with "amux ps"',
  });
  if (!live?.link || !live.projector.state.turn) throw noTurn;
  await live.link.request({ type: 'interrupt', sessionId: session.id }).catch((error: unknown) => {
    throw isKeeperGone(error) ? noTurn : error;
  });
  await audit(ctx, actor, 'session.interrupt', session.id);
  return findSession(ctx, session.id);
}

export async function parkSession(ctx: DaemonContext, id: string, actor: Actor): Promise<Session> {
  const session = await findManagedSession(ctx, id);
  const live = ctx.live.get(session.id);
  if (session.isTerminated) throw await sessionEnded(ctx, session);
  if (isUnreachable(ctx, session)) throw keeperUnreachable(session);
  if (live) {
    assertParkable(ctx, session, live);
    parkLive(ctx, live);
  }
  await audit(ctx, actor, 'session.park', session.id);
  return findSession(ctx, session.id);
}

/** Ends the process and cancels queued messages. */
export async function stopSession(ctx: DaemonContext, id: string, actor: Actor): Promise<Session> {
  const found = await findSession(ctx, id);
  // A session that is starting can be stopped once it has started.
  const session = await ctx.mutex.run(found.id, async () => {
    const session = await findSession(ctx, found.id);
    await stopUnmanaged(ctx, session);
    return session;
  });
  for (const { id: messageId } of await ctx.store.listMessages(session.id, ['queued']))
    await ctx.store.updateMessage(session.id, messageId, { state: 'cancelled', endedAt: ctx.now() });
  await cleanUpRejected(ctx, session);
  await stopProcess(ctx, session.id, actor);
  const now = ctx.now();
  await ctx.mutex.run(session.id, async () => {
    const ended = await ctx.store.getSession(session.id);
    if (ended && !ended.isTerminated)
      await ctx.store.updateSession(session.id, {
        activity: 'exited',
        activitySince: now,
        isTerminated: true,
        parked: false,
        keeperPid: null,
        updatedAt: now,
      });
    if (ended?.waitingFor) await ctx.store.updateSession(session.id, { waitingFor: null });
  });
  ctx.governor.watch(session.id);
  await audit(ctx, actor, 'session.stop', session.id);
  return findSession(ctx, session.id);
}

/** Ends the process of the current launch, even if its connection is lost meanwhile. */
async function stopProcess(ctx: DaemonContext, id: string, actor: Actor): Promise<void> {
  const launch = ctx.live.get(id)?.launch;
  for (let live = ctx.live.get(id); live && live.launch === launch; live = ctx.live.get(id))
    await stopLive(ctx, live, actor);
  if (isUnreachable(ctx, await findSession(ctx, id))) await killSilentKeeper(ctx, id);
}

async function stopLive(ctx: DaemonContext, live: LiveSession, actor: Actor): Promise<void> {
  live.ending = 'stop';
  const request = { type: 'end', sessionId: live.id, how: 'abort', reason: `${STOPPED_PREFIX} ${actor}` } as const;
  const isAcknowledged = await Promise.resolve(live.link?.request(request, ACK_TIMEOUT_MS)).then(
    () => true,
    (error: unknown) => {
      ctx.log(`${live.id}: the keeper did not acknowledge the stop: ${messageOf(error)}`);
      return !(error instanceof DaemonError && ['KEEPER_GONE', 'KEEPER_UNREACHABLE'].includes(error.code));
    },
  );
  if (isAcknowledged && (await isReleased(ctx, live))) return;
  ctx.log(`${live.id}: did not stop; killing its keeper`);
  live.link?.kill();
  if (!(await isReleased(ctx, live)))
    throw new DaemonError('KEEPER_UNREACHABLE', `the keeper of session ${live.id} did not end`, {
      hint: `end process ${live.link?.record.pid}, then run "amux stop ${live.id}" again`,
    });
}

/** Waits for the end of the process. Returns false on timeout. */
async function isReleased(ctx: DaemonContext, live: LiveSession): Promise<boolean> {
  const timeout = AbortSignal.timeout(STOP_TIMEOUT_MS);
  const isDone = () => ctx.live.get(live.id) !== live;
  while (!isDone() && !timeout.aborted) await ctx.signals.wait(live.id, timeout, isDone);
  return isDone();
}

/** Kills a keeper that is alive but does not answer. */
async function killSilentKeeper(ctx: DaemonContext, id: string): Promise<void> {
  const record = readRecord(join(ctx.paths.sessions, id)) ?? (await findOrphanedKeeper(ctx, id));
  if (!record || !isKeeperAlive(record)) return;
  process.kill(record.pid, 'SIGKILL');
  await ctx.mutex.run(id, async () => {
    while (isKeeperAlive(record)) await sleep(POLL_MS);
    await adoptOrReconcile(ctx, id);
  });
}

/**
 * Makes an ended session usable again. Its process is started with the next message and resumes the exact agent session
 * id.
 */
export async function restoreSession(
  ctx: DaemonContext,
  id: string,
  input: { env?: Record<string, string> },
  actor: Actor,
): Promise<Session> {
  const found = await findSession(ctx, id);
  return ctx.mutex.run(found.id, async () => {
    const session = await assertNotInTerminal(ctx, await findSession(ctx, found.id));
    if (input.env) rememberEnvironment(ctx, session.id, { env: input.env });
    if (!session.isTerminated) return session;
    if (!(await canContinueStored(ctx, session))) throw cannotContinue(ctx, session);
    const worktree = worktreeOf(session);
    const now = ctx.now();
    // The person who restores it has seen how it changed.
    if (session.error?.code === 'SESSION_CHANGED') await dropIdentities(ctx.store, session.id);
    await ctx.store.updateSession(session.id, {
      ...(worktree ? { workspace: await restoreWorktree(worktree) } : {}),
      activity: 'idle',
      activitySince: now,
      isTerminated: false,
      parked: true,
      origin: 'daemon',
      error: null,
      limit: null,
      updatedAt: now,
    });
    await audit(ctx, actor, 'session.restore', session.id);
    await deliverNext(ctx, session.id);
    return findSession(ctx, session.id);
  });
}

/** The row says that a process holds the session, but the daemon has no connection to it. */
function isUnreachable(ctx: DaemonContext, session: Session): boolean {
  return session.activity === 'no_signal' && hasLiveProcess(session) && !ctx.live.has(session.id);
}

export async function removeSession(ctx: DaemonContext, id: string, actor: Actor): Promise<RemovedSession> {
  const session = await findSession(ctx, id);
  const user = worktreeOf(session) ? await findUserOf(ctx.store, session) : null;
  if (user !== null)
    throw new DaemonError('WORKSPACE_ERROR', `session ${user} works in the worktree of session ${session.id}`, {
      hint: `run "amux stop ${user}" first`,
    });
  if (!session.isTerminated || ctx.live.has(session.id)) await stopSession(ctx, session.id, actor);
  return ctx.mutex.run(session.id, async () => {
    const worktree = worktreeOf(session);
    const saved = worktree && (await removeWorktree(session.id, worktree, ctx.paths.saved));
    await rememberWorktree(ctx.store, session, ctx.now());
    await ctx.store.deleteSession(session.id);
    await dropIdentities(ctx.store, session.id);
    await forgetKeeper(ctx, session.id);
    ctx.environments.delete(session.id);
    // A commit of its last events may trim its journal meanwhile.
    const retries = { maxRetries: 10, retryDelay: 20 };
    await rm(join(ctx.paths.sessions, session.id), { recursive: true, force: true, ...retries });
    await dropScratch(ctx.store, ctx.paths.scratch, session).catch((error) =>
      ctx.log(`${session.id}: cannot delete its scratch folder: ${messageOf(error)}`),
    );
    const left = {
      branch: saved?.branch ?? null,
      savedRef: saved?.savedRef ?? null,
      savedPath: saved?.savedPath ?? null,
    };
    const named = Object.fromEntries(Object.entries(left).filter(([, value]) => value !== null));
    await audit(ctx, actor, 'session.remove', session.id, { agent: session.agent, title: session.title, ...named });
    ctx.signals.notify(session.id);
    return { id: session.id, ...left };
  });
}

async function audit(
  ctx: DaemonContext,
  actor: Actor,
  action: string,
  sessionId: string,
  detail: Record<string, unknown> = {},
): Promise<void> {
  await ctx.store.appendAudit({ timestamp: ctx.now(), actor, action, sessionId, detail });
  notifyChange(ctx);
}
