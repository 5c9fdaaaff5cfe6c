import type { Fault, Message, Session } from '@agent-mux/api';
import { isByHand } from '../hooks/by-hand.ts';
import { isContinuation } from '../limits/continuations.ts';
import { adoptOrSettle, seemsAlive } from './adopt.ts';
import { attachmentsOf } from './attachments.ts';
import { canContinueStored, cannotContinue } from './can-continue.ts';
import { cleanRefused } from './clean-refused.ts';
import { type Desk, isOver, type LiveSession, tellChange } from './desk.ts';
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
    await refuse(desk, id, next, error, { isPatient, wasLive: live !== undefined });
  }
  tellChange(desk);
}

/** Null: nothing can be sent to it. What seems to be held, and is not held here, is settled first: its journal may know more. */
async function findReady(desk: Desk, id: string): Promise<Session | null> {
  const session = await desk.store.getSession(id);
  if (!session || isByHand(session)) return null;
  if (session.isTerminated) {
    await failForGood(desk, session);
    return null;
  }
  if (desk.live.has(id) || !seemsAlive(session)) return session;
  // Its keeper does not answer: the next attempt is due later.
  if (desk.retries.has(id)) return null;
  await adoptOrSettle(desk, id);
  const now = await desk.store.getSession(id);
  return now && !now.isTerminated && (desk.live.has(id) || !seemsAlive(now)) ? now : null;
}

/** What was queued for a session that has ended waits for its return; where it cannot return, nothing waits. */
async function failForGood(desk: Desk, session: Session): Promise<void> {
  const queued = await desk.store.listMessages(session.id, ['queued']);
  if (queued.length === 0 || (await canContinueStored(desk, session))) return;
  const error = cannotContinue(desk, session).toFault();
  for (const { id } of queued)
    await desk.store.updateMessage(session.id, id, { state: 'failed', error, endedAt: desk.now() });
  tellChange(desk);
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
  const { turn } = live.projector.state;
  return live.link !== undefined && live.ending === null && live.inFlight === null && !turn && !isOver(live);
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
const HELD_ELSEWHERE: ReadonlySet<string> = new Set([
  'KEEPER_GONE',
  'KEEPER_UNREACHABLE',
  'KEEPER_THERE',
  'JOURNAL_AHEAD',
  'MESSAGE_KNOWN',
]);

/** What was refused is not tried again by itself, unless it only has to wait for room and nobody waits for the answer. */
async function refuse(
  desk: Desk,
  id: string,
  message: Message,
  error: unknown,
  { isPatient, wasLive }: { isPatient: boolean; wasLive: boolean },
): Promise<void> {
  const refusal = asRefusal(error);
  if (refusal.code === 'TOO_MANY_SESSIONS' && isPatient) {
    desk.waitingForRoom.add(id);
    return;
  }
  if (HELD_ELSEWHERE.has(refusal.code) && (await takeUp(desk, id, message.id))) return;
  // The live process ended before it accepted the message, and its journal has been read: the next process gets it.
  if (wasLive && refusal.code === 'KEEPER_GONE') return desk.kick(id);
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
  await adoptOrSettle(desk, id);
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
