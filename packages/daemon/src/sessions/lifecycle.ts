import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Session, SessionPatch } from '@agent-mux/api';
import { messageOf } from '@agent-mux/core';
import { STOPPED } from '../activity/reduce-activity.ts';
import { DaemonError } from '../daemon-error.ts';
import { findHere, refuseElsewhere, stopByHand } from '../hooks/by-hand.ts';
import { isKeeperAlive, readRecord } from '../keeper/record.ts';
import type { Who } from '../service.ts';
import { dropScratch } from '../workspaces/scratch.ts';
import { bringBackWorktree, removeWorktree, worktreeOf } from '../workspaces/worktree.ts';
import { adoptOrSettle } from './adopt.ts';
import { adapterOf, findMode } from './agent-facts.ts';
import { cleanRefused } from './clean-refused.ts';
import { deliverNext } from './deliver.ts';
import { type Desk, type LiveSession, tellChange } from './desk.ts';
import { rememberEnvironment } from './environment.ts';
import { findSession } from './find.ts';
import { parkLive } from './parking.ts';
import { dropReported, forgetReported } from './reported.ts';

/** An agent that does not end in this time is ended with its keeper. */
const STOP_PATIENCE_MS = 15_000;
const POLL_MS = 20;

export async function changeSession(desk: Desk, id: string, patch: SessionPatch, who: Who): Promise<Session> {
  const session = await findSession(desk, id);
  return desk.serial.run(session.id, async () => {
    const { title, pinned, model, approvalMode, onLimit, budget, dismissed } = patch;
    const live = desk.live.get(session.id);
    if (live?.link && (model !== undefined || approvalMode !== undefined))
      await live.link.order({
        type: 'set',
        sessionId: session.id,
        ...(model === undefined ? {} : { model }),
        ...(approvalMode === undefined ? {} : { approvalMode }),
      });
    const options = {
      ...session.options,
      ...(model === undefined ? {} : { model }),
      ...(approvalMode === undefined ? {} : { approvalMode }),
    };
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
  if (!live?.link || !live.projector.state.turn)
    throw new DaemonError('NO_TURN', `no turn of session ${session.id} is running`, {
      hint: 'there is nothing to interrupt',
    });
  await live.link.order({ type: 'interrupt', sessionId: session.id });
  await audit(desk, who, 'session.interrupt', session.id);
  return findSession(desk, session.id);
}

export async function parkSession(desk: Desk, id: string, who: Who): Promise<Session> {
  const session = await findHere(desk, id);
  const live = desk.live.get(session.id);
  if (live) parkLive(desk, live);
  else if (session.isTerminated)
    throw new DaemonError('SESSION_ENDED', `session ${session.id} has ended`, { hint: `amux restore ${session.id}` });
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
  const live = desk.live.get(session.id);
  if (live) await stopLive(desk, live, who);
  else if (session.activity === 'no_signal') await endSilentKeeper(desk, session.id);
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

async function stopLive(desk: Desk, live: LiveSession, who: Who): Promise<void> {
  live.ending = 'stop';
  const patience = AbortSignal.timeout(STOP_PATIENCE_MS);
  try {
    await live.link?.order({ type: 'end', sessionId: live.id, how: 'abort', reason: `${STOPPED} ${who}` });
  } catch (error) {
    desk.log(`${live.id}: does not hear that it is to stop: ${messageOf(error)}`);
  }
  while (desk.live.get(live.id) === live && !patience.aborted)
    await desk.wakers.wait(live.id, patience, () => desk.live.get(live.id) !== live);
  if (desk.live.get(live.id) !== live) return;
  desk.log(`${live.id}: does not stop; its keeper is ended`);
  live.link?.kill();
}

/** It lives and does not answer: nothing but its end can be had of it. */
async function endSilentKeeper(desk: Desk, id: string): Promise<void> {
  const record = readRecord(join(desk.places.sessions, id));
  if (!record || !isKeeperAlive(record)) return;
  process.kill(record.pid, 'SIGKILL');
  await desk.serial.run(id, async () => {
    const session = await desk.store.getSession(id);
    while (isKeeperAlive(record)) await sleep(POLL_MS);
    if (session && !desk.live.has(id)) await adoptOrSettle(desk, session);
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
    refuseWhatCannotComeBack(desk, session);
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

function refuseWhatCannotComeBack(desk: Desk, session: Session): void {
  const { nativeId, launch, options, origin } = session;
  const hasBegun = launch > 0 || origin !== 'daemon';
  const adapter = adapterOf(desk, session);
  const mode = findMode(adapter, options);
  if (hasBegun && nativeId === null)
    throw new DaemonError(
      'NO_NATIVE_SESSION',
      `${adapter.displayName} never told the id of its session, so it cannot be gone on with`,
      {
        hint: 'start a new one (amux new)',
      },
    );
  if (hasBegun && mode?.capabilities.canResume === false)
    throw new DaemonError(
      'CAPABILITY_ERROR',
      `${adapter.displayName} in mode "${mode.name}" cannot go on with a session`,
      {
        hint: 'start a new one (amux new)',
      },
    );
}

export async function removeSession(desk: Desk, id: string, who: Who): Promise<void> {
  const session = await findSession(desk, id);
  if (!session.isTerminated) await stopSession(desk, session.id, who);
  await desk.serial.run(session.id, async () => {
    const worktree = worktreeOf(session);
    if (worktree) await removeWorktree(session.id, worktree);
    await desk.store.deleteSession(session.id);
    await dropReported(desk.store, session.id);
    desk.environments.delete(session.id);
    await rm(join(desk.places.sessions, session.id), { recursive: true, force: true });
    await dropScratch(desk.store, desk.places.scratch, session).catch((error) =>
      desk.log(`${session.id}: its scratch folder stays: ${messageOf(error)}`),
    );
    const saved = worktree && { branch: worktree.branch };
    await audit(desk, who, 'session.remove', session.id, { agent: session.agent, title: session.title, ...saved });
    desk.wakers.wake(session.id);
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
