import type { Fault, Message } from '@agent-mux/api';
import { messageOf } from '@agent-mux/core';
import { DaemonError } from '../daemon-error.ts';
import { attachmentsOf } from './attachments.ts';
import { type Desk, type LiveSession, tellChange } from './desk.ts';
import { launchSession } from './launch.ts';

/**
 * The next of the queued messages goes to its agent, where it may go now: no turn runs, nothing is on its way. Called whenever
 * that may have become so; resolves when there is nothing to do at the moment. Runs within the session's serial.
 */
export async function deliverNext(desk: Desk, id: string): Promise<void> {
  const session = await desk.store.getSession(id);
  if (!session || session.isTerminated) return;
  const next = await takeNext(desk, id);
  if (!next) return;
  const live = desk.live.get(id);
  if (live && !isFree(live)) return;
  try {
    if (live) await hand(desk, live, next);
    else await launchSession(desk, session, next);
  } catch (error) {
    await refuse(desk, id, next, error);
  }
  tellChange(desk);
}

async function takeNext(desk: Desk, id: string): Promise<Message | undefined> {
  const queued = await desk.store.listMessages(id, ['queued']);
  // A daemon died while it handed this one over, into a turn that may be long gone.
  for (const { id: stale } of queued.filter(({ mode }) => mode === 'steer'))
    await desk.store.updateMessage(id, stale, { state: 'unknown', endedAt: desk.now() });
  return queued.find(({ mode }) => mode !== 'steer');
}

function isFree(live: LiveSession): boolean {
  const { turn, isTerminated } = live.projector.state;
  return live.link !== undefined && live.ending === null && live.inFlight === null && !turn && !isTerminated;
}

async function hand(desk: Desk, live: LiveSession, message: Message): Promise<void> {
  live.inFlight = message.id;
  try {
    const attachments = await attachmentsOf(desk, message);
    const delivery = { messageId: message.id, text: message.text, attachments };
    await live.link?.order({ type: 'send', sessionId: live.id, message: delivery });
  } catch (error) {
    live.inFlight = null;
    throw error;
  }
}

/**
 * What was refused is not tried again by itself. Where the keeper went in the middle it is not known whether it was taken: that
 * is decided by what its journal says (`settle-lost.ts`), and until then it stays as it is.
 */
async function refuse(desk: Desk, id: string, message: Message, error: unknown): Promise<void> {
  if (
    error instanceof DaemonError &&
    (error.code === 'KEEPER_GONE' || error.code === 'DISK_FULL' || error.code === 'TOO_MANY_SESSIONS')
  ) {
    await rest(desk, id, null);
    desk.log(`${id}: message ${message.id} waits: ${error.message}`);
    return;
  }
  const fault: Fault =
    error instanceof DaemonError ? error.toFault() : { code: 'INTERNAL_ERROR', message: messageOf(error) };
  desk.log(`${id}: message ${message.id} was refused: ${fault.message}`);
  await desk.store.updateMessage(id, message.id, { state: 'failed', error: fault, endedAt: desk.now() });
  await rest(desk, id, fault);
}

/** A launch that came to nothing leaves the session as it was before: without a process. */
async function rest(desk: Desk, id: string, error: Fault | null): Promise<void> {
  if (desk.live.has(id)) return;
  const session = await desk.store.getSession(id);
  if (session?.activity !== 'spawning') return;
  await desk.store.updateSession(id, {
    activity: 'idle',
    activitySince: desk.now(),
    parked: true,
    error,
    keeperPid: null,
  });
}
