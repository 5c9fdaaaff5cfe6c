import type { Fault, Message, Session } from '@agent-mux/api';
import { isByHand } from '../hooks/by-hand.ts';
import { isContinuation } from '../limits/continuations.ts';
import { adoptOrSettle, seemsAlive } from './adopt.ts';
import { attachmentsOf } from './attachments.ts';
import { cleanRefused } from './clean-refused.ts';
import { type Desk, type LiveSession, tellChange } from './desk.ts';
import { asRefusal } from './keeper-link.ts';
import { launchSession } from './launch.ts';

/**
 * The next of the queued messages goes to its agent, where it may go now: no turn runs, nothing is on its way, no limit or budget
 * is in the way. Called whenever
 * that may have become so; resolves when there is nothing to do at the moment. Runs within the session's serial.
 */
export async function deliverNext(desk: Desk, id: string, { isPatient = false } = {}): Promise<void> {
  desk.waitingForRoom.delete(id);
  const ready = await findReady(desk, id);
  if (!ready) return;
  const next = await takeNext(desk, id);
  const live = desk.live.get(id);
  if (live && !isFree(live)) return;
  const session = next ? await desk.governor.placeInAccount(ready, desk.environments.has(id)) : ready;
  if ((await desk.governor.holds(session, next)) || !next) return;
  try {
    // First: whoever waits for the same account comes later, also when this daemon dies now.
    await desk.governor.sent(session, next);
    if (live) await hand(desk, live, next);
    else await launchSession(desk, session, next);
    await cleanRefused(desk, session);
  } catch (error) {
    await refuse(desk, id, next, error, isPatient);
  }
  tellChange(desk);
}

/** Null: nothing can be sent to it. What seems to be held, and is not held here, is settled first: its journal may know more. */
async function findReady(desk: Desk, id: string): Promise<Session | null> {
  const session = await desk.store.getSession(id);
  if (!session || session.isTerminated || isByHand(session)) return null;
  if (desk.live.has(id) || !seemsAlive(session)) return session;
  await adoptOrSettle(desk, session);
  const now = await desk.store.getSession(id);
  return now && !now.isTerminated && (desk.live.has(id) || !seemsAlive(now)) ? now : null;
}

async function takeNext(desk: Desk, id: string): Promise<Message | undefined> {
  const queued = await desk.store.listMessages(id, ['queued']);
  // A daemon died while it handed this one over, into a turn that may be long gone.
  for (const { id: stale } of queued.filter(({ mode }) => mode === 'steer'))
    await desk.store.updateMessage(id, stale, { state: 'unknown', endedAt: desk.now() });
  // What goes on after a limit stands before what was to come after it.
  return queued.find((message) => isContinuation(message.id)) ?? queued.find(({ mode }) => mode !== 'steer');
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

/** It may be that a keeper holds the session that this daemon does not know of: then that one has the message, or gets it. */
const HELD_ELSEWHERE: ReadonlySet<string> = new Set(['KEEPER_GONE', 'KEEPER_THERE', 'JOURNAL_AHEAD', 'MESSAGE_KNOWN']);

/** What was refused is not tried again by itself, unless it only has to wait for room and nobody waits for the answer. */
async function refuse(desk: Desk, id: string, message: Message, error: unknown, isPatient: boolean): Promise<void> {
  const refusal = asRefusal(error);
  if (refusal.code === 'TOO_MANY_SESSIONS' && isPatient) {
    desk.waitingForRoom.add(id);
    return;
  }
  if (HELD_ELSEWHERE.has(refusal.code) && (await takeUp(desk, id, message.id))) return;
  // Its run has ended in this moment, and that is told right after: then it waits for the next one.
  if (refusal.code === 'RUN_ENDED' && desk.live.has(id)) return;
  const fault = refusal.toFault();
  desk.log(`${id}: message ${message.id} was refused: ${fault.message}`);
  await desk.store.updateMessage(id, message.id, { state: 'failed', error: fault, endedAt: desk.now() });
  await rest(desk, id, fault);
  tellChange(desk);
  desk.kick(id);
}

/** True: the message is not ours to send any more. */
async function takeUp(desk: Desk, id: string, messageId: string): Promise<boolean> {
  if (!desk.live.has(id)) {
    const session = await desk.store.getSession(id);
    if (session) await adoptOrSettle(desk, session);
  }
  const [message, session] = [await desk.store.getMessage(id, messageId), await desk.store.getSession(id)];
  // Where the session has ended meanwhile, the message waits until somebody restores it.
  return (
    message?.state !== 'queued' ||
    desk.live.has(id) ||
    session?.isTerminated === true ||
    session?.activity === 'no_signal'
  );
}

/** A launch that came to nothing leaves the session as it was before: without a process. */
async function rest(desk: Desk, id: string, error: Fault): Promise<void> {
  if (desk.live.has(id)) return;
  const session = await desk.store.getSession(id);
  if (!session || session.isTerminated) return;
  const change =
    session.activity === 'spawning'
      ? ({ activity: session.limit === null ? 'idle' : 'limited', activitySince: desk.now(), parked: true } as const)
      : {};
  await desk.store.updateSession(id, { ...change, error, keeperPid: null });
}
