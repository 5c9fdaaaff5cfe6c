import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RemovedSession, Session, SessionPatch } from '@agent-mux/api';
import { messageOf } from '@agent-mux/core';
import { STOPPED } from '../activity/reduce-activity.ts';
import { DaemonError } from '../daemon-error.ts';
import { findHere, refuseElsewhere, stopByHand } from '../hooks/by-hand.ts';
import { isKeeperAlive, readRecord } from '../keeper/record.ts';
import type { Who } from '../service.ts';
import { findUserOf, rememberWorktree } from '../workspaces/known-worktrees.ts';
import { removeWorktree } from '../workspaces/save-work.ts';
import { dropScratch } from '../workspaces/scratch.ts';
import { bringBackWorktree, worktreeOf } from '../workspaces/worktree.ts';
import { adoptOrSettle, seemsAlive } from './adopt.ts';
import { canContinueStored, cannotContinue, keeperUnreachable, sessionEnded } from './can-continue.ts';
import { cleanRefused } from './clean-refused.ts';
import { refuseTitle } from './create.ts';
import { deliverNext } from './deliver.ts';
import { type Desk, isOver, type LiveSession, tellChange } from './desk.ts';
import { rememberEnvironment } from './environment.ts';
import { findSession } from './find.ts';
import { isKeeperGone } from './keeper-link.ts';
import { findOrphanedKeeper, forgetKeeper } from './keepers/keeper-identity.ts';
import { assertParkable, parkLive } from './parking.ts';
import { dropReported, forgetReported } from './reported.ts';

/** An agent that does not end in this time is ended with its keeper. */
const STOP_PATIENCE_MS = 15_000;
/** A keeper answers the order to end at once, unless it is stopped or hangs. */
const HEARS_MS = 5000;
const POLL_MS = 20;

export async function changeSession(desk: Desk, id: string, patch: SessionPatch, who: Who): Promise<Session> {
  const session = await findSession(desk, id);
  return desk.serial.run(session.id, async () => {
    const { title, pinned, model, approvalMode, onLimit, budget, dismissed } = patch;
    refuseTitle(desk, title);
    const live = desk.live.get(session.id);
    const settings = {
      ...(model === undefined ? {} : { model }),
      ...(approvalMode === undefined ? {} : { approvalMode }),
    };
    if (live?.link && !isOver(live) && (model !== undefined || approvalMode !== undefined))
      await live.link.order({ type: 'set', sessionId: session.id, ...settings }).catch((error: unknown) => {
        // A process that has ended needs no change: the next one is launched with the stored options. One that lives behind a
        // lost connection would keep the old permission mode.
        if (!isKeeperGone(error) || (live.link && isKeeperAlive(live.link.record))) throw error;
      });
    const options = { ...session.options, ...settings };
    if (title !== undefined) live?.projector.setTitle(title);
    const { titleBy: _, title: _before, ...metadata } = session.metadata;
    const changed = await desk.store.updateSession(session.id, {
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
      updatedAt: desk.now(),
    });
    const unexpected = [
      ...(model === undefined ? [] : (['model'] as const)),
      ...(approvalMode === undefined ? [] : (['permissionMode'] as const)),
    ];
    await forgetReported(desk.store, session.id, unexpected, desk.now());
    await audit(desk, who, 'session.change', session.id, { ...patch });
    if (onLimit !== undefined) await desk.governor.reconsider(session.id);
    if (budget !== undefined) await deliverNext(desk, session.id);
    return onLimit === undefined && budget === undefined ? (changed ?? session) : findSession(desk, session.id);
  });
}

export async function interruptSession(desk: Desk, id: string, who: Who): Promise<Session> {
  const session = await findHere(desk, id);
  const live = desk.live.get(session.id);
  if (isUnreachable(desk, session)) throw keeperUnreachable(session);
  const noTurn = new DaemonError('NO_TURN', `no turn of session ${session.id} is running`, {
    hint: 'there is nothing to interrupt',
  });
  if (!live?.link || !live.projector.state.turn) throw noTurn;
  await live.link.order({ type: 'interrupt', sessionId: session.id }).catch((error: unknown) => {
    throw isKeeperGone(error) ? noTurn : error;
  });
  await audit(desk, who, 'session.interrupt', session.id);
  return findSession(desk, session.id);
}

export async function parkSession(desk: Desk, id: string, who: Who): Promise<Session> {
  const session = await findHere(desk, id);
  const live = desk.live.get(session.id);
  if (session.isTerminated) throw await sessionEnded(desk, session);
  if (isUnreachable(desk, session)) throw keeperUnreachable(session);
  if (live) {
    assertParkable(desk, session, live);
    parkLive(desk, live);
  }
  await audit(desk, who, 'session.park', session.id);
  return findSession(desk, session.id);
}

/** Nothing of it goes on: its process ends, and what was queued is cancelled. */
export async function stopSession(desk: Desk, id: string, who: Who): Promise<Session> {
  const found = await findSession(desk, id);
  // What is being started can be told to stop when it is there.
  const session = await desk.serial.run(found.id, async () => {
    const session = await findSession(desk, found.id);
    await stopByHand(desk, session);
    return session;
  });
  for (const { id: messageId } of await desk.store.listMessages(session.id, ['queued']))
    await desk.store.updateMessage(session.id, messageId, { state: 'cancelled', endedAt: desk.now() });
  await cleanRefused(desk, session);
  await stopProcess(desk, session.id, who);
  const now = desk.now();
  await desk.serial.run(session.id, async () => {
    const ended = await desk.store.getSession(session.id);
    if (ended && !ended.isTerminated)
      await desk.store.updateSession(session.id, {
        activity: 'exited',
        activitySince: now,
        isTerminated: true,
        parked: false,
        keeperPid: null,
        updatedAt: now,
      });
    if (ended?.waitsFor) await desk.store.updateSession(session.id, { waitsFor: null });
  });
  desk.governor.watch(session.id);
  await audit(desk, who, 'session.stop', session.id);
  return findSession(desk, session.id);
}

/** Ends the process of the launch that the session has now, also where its connection is lost meanwhile. */
async function stopProcess(desk: Desk, id: string, who: Who): Promise<void> {
  const launch = desk.live.get(id)?.launch;
  for (let live = desk.live.get(id); live && live.launch === launch; live = desk.live.get(id))
    await stopLive(desk, live, who);
  if (isUnreachable(desk, await findSession(desk, id))) await endSilentKeeper(desk, id);
}

async function stopLive(desk: Desk, live: LiveSession, who: Who): Promise<void> {
  live.ending = 'stop';
  const order = { type: 'end', sessionId: live.id, how: 'abort', reason: `${STOPPED} ${who}` } as const;
  const isHeard = await Promise.resolve(live.link?.order(order, HEARS_MS)).then(
    () => true,
    (error: unknown) => {
      desk.log(`${live.id}: does not hear that it is to stop: ${messageOf(error)}`);
      return !(error instanceof DaemonError && ['KEEPER_GONE', 'KEEPER_UNREACHABLE'].includes(error.code));
    },
  );
  if (isHeard && (await isReleased(desk, live))) return;
  desk.log(`${live.id}: does not stop; its keeper is killed`);
  live.link?.kill();
  if (!(await isReleased(desk, live)))
    throw new DaemonError('KEEPER_UNREACHABLE', `the keeper of session ${live.id} did not end`, {
      hint: `end process ${live.link?.record.pid}, then run "amux stop ${live.id}" again`,
    });
}

/** Waits for the end of the process. False: it takes too long. */
async function isReleased(desk: Desk, live: LiveSession): Promise<boolean> {
  const patience = AbortSignal.timeout(STOP_PATIENCE_MS);
  const isDone = () => desk.live.get(live.id) !== live;
  while (!isDone() && !patience.aborted) await desk.wakers.wait(live.id, patience, isDone);
  return isDone();
}

/** It lives and does not answer: nothing but its end can be had of it. */
async function endSilentKeeper(desk: Desk, id: string): Promise<void> {
  const record = readRecord(join(desk.places.sessions, id)) ?? (await findOrphanedKeeper(desk, id));
  if (!record || !isKeeperAlive(record)) return;
  process.kill(record.pid, 'SIGKILL');
  await desk.serial.run(id, async () => {
    while (isKeeperAlive(record)) await sleep(POLL_MS);
    await adoptOrSettle(desk, id);
  });
}

/** What has ended can be written to again. Its process comes back with the next message, by its exact native id, or not at all. */
export async function restoreSession(
  desk: Desk,
  id: string,
  given: { env?: Record<string, string> },
  who: Who,
): Promise<Session> {
  const found = await findSession(desk, id);
  return desk.serial.run(found.id, async () => {
    const session = await refuseElsewhere(desk, await findSession(desk, found.id));
    if (given.env) rememberEnvironment(desk, session.id, { env: given.env });
    if (!session.isTerminated) return session;
    if (!(await canContinueStored(desk, session))) throw cannotContinue(desk, session);
    const worktree = worktreeOf(session);
    const now = desk.now();
    // Whoever restores it has read what it has become.
    if (session.error?.code === 'SESSION_CHANGED') await dropReported(desk.store, session.id);
    await desk.store.updateSession(session.id, {
      ...(worktree ? { workspace: await bringBackWorktree(worktree) } : {}),
      activity: 'idle',
      activitySince: now,
      isTerminated: false,
      parked: true,
      origin: 'daemon',
      error: null,
      limit: null,
      updatedAt: now,
    });
    await audit(desk, who, 'session.restore', session.id);
    await deliverNext(desk, session.id);
    return findSession(desk, session.id);
  });
}

/** Its row says that a process holds it, and the daemon has no connection to that. */
function isUnreachable(desk: Desk, session: Session): boolean {
  return session.activity === 'no_signal' && seemsAlive(session) && !desk.live.has(session.id);
}

export async function removeSession(desk: Desk, id: string, who: Who): Promise<RemovedSession> {
  const session = await findSession(desk, id);
  const user = worktreeOf(session) ? await findUserOf(desk.store, session) : null;
  if (user !== null)
    throw new DaemonError('WORKSPACE_ERROR', `session ${user} works in the worktree of session ${session.id}`, {
      hint: `stop that one first ("amux stop ${user}")`,
    });
  if (!session.isTerminated || desk.live.has(session.id)) await stopSession(desk, session.id, who);
  return desk.serial.run(session.id, async () => {
    const worktree = worktreeOf(session);
    const saved = worktree && (await removeWorktree(session.id, worktree, desk.places.saved));
    await rememberWorktree(desk.store, session, desk.now());
    await desk.store.deleteSession(session.id);
    await dropReported(desk.store, session.id);
    await forgetKeeper(desk, session.id);
    desk.environments.delete(session.id);
    // A commit of its last events may trim its journal meanwhile.
    const retries = { maxRetries: 10, retryDelay: 20 };
    await rm(join(desk.places.sessions, session.id), { recursive: true, force: true, ...retries });
    await dropScratch(desk.store, desk.places.scratch, session).catch((error) =>
      desk.log(`${session.id}: its scratch folder stays: ${messageOf(error)}`),
    );
    const left = {
      branch: saved?.branch ?? null,
      savedRef: saved?.savedRef ?? null,
      savedPath: saved?.savedPath ?? null,
    };
    const named = Object.fromEntries(Object.entries(left).filter(([, value]) => value !== null));
    await audit(desk, who, 'session.remove', session.id, { agent: session.agent, title: session.title, ...named });
    desk.wakers.wake(session.id);
    return { id: session.id, ...left };
  });
}

async function audit(
  desk: Desk,
  who: Who,
  action: string,
  sessionId: string,
  detail: Record<string, unknown> = {},
): Promise<void> {
  await desk.store.appendAudit({ time: desk.now(), who, action, sessionId, detail });
  tellChange(desk);
}
