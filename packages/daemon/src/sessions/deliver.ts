import type { ErrorInfo, Message, Session } from '@agent-mux/api';
import { isUnmanaged } from '../hooks/unmanaged.ts';
import { isContinuation } from '../limits/continuations.ts';
import { adoptOrReconcile, hasLiveProcess } from './adopt.ts';
import { attachmentsOf } from './attachments.ts';
import { canContinueStored, cannotContinue } from './can-continue.ts';
import { cleanUpRejected } from './clean-up-rejected.ts';
import { type DaemonContext, isOver, type LiveSession, notifyChange } from './daemon-context.ts';
import { asRefusal } from './keeper-link.ts';
import { launchSession } from './launch.ts';

/**
 * Sends the next queued message to the agent if nothing prevents it: no running turn, no message in flight, no limit or
 * budget. Call it whenever that may have changed; resolves when there is nothing to do at the moment. Call it while
 * holding the session's mutex.
 */
export async function deliverNext(ctx: DaemonContext, id: string, { isPatient = false } = {}): Promise<void> {
  ctx.waitingForSlot.delete(id);
  const ready = await findReady(ctx, id);
  if (!ready) return;
  const next = await findNext(ctx, id);
  const live = ctx.live.get(id);
  if (live && !isFree(live)) return;
  const session = next ? await ctx.governor.assignAccount(ready, ctx.environments.has(id)) : ready;
  if ((await ctx.governor.holds(session, next)) || !next) return;
  try {
    // Recorded first, so that other sessions of the account wait even if this daemon dies now.
    await ctx.governor.sent(session, next);
    if (live) await sendToKeeper(ctx, live, next);
    else await launchSession(ctx, session, next);
    await cleanUpRejected(ctx, session);
  } catch (error) {
    await handleRefusal(ctx, id, next, error, { isPatient, wasLive: live !== undefined });
  }
  notifyChange(ctx);
}

/** Null if nothing can be sent. A session that seems to be held but is not live here is reconciled first. */
async function findReady(ctx: DaemonContext, id: string): Promise<Session | null> {
  const session = await ctx.store.getSession(id);
  if (!session || isUnmanaged(session)) return null;
  if (session.isTerminated) {
    await failForGood(ctx, session);
    return null;
  }
  if (ctx.live.has(id) || !hasLiveProcess(session)) return session;
  // Its keeper does not answer; a retry is scheduled.
  if (ctx.retries.has(id)) return null;
  await adoptOrReconcile(ctx, id);
  const now = await ctx.store.getSession(id);
  return now && !now.isTerminated && (ctx.live.has(id) || !hasLiveProcess(now)) ? now : null;
}

/** Messages queued for an ended session wait until it is restored; if it cannot be restored, they fail. */
async function failForGood(ctx: DaemonContext, session: Session): Promise<void> {
  const queued = await ctx.store.listMessages(session.id, ['queued']);
  if (queued.length === 0 || (await canContinueStored(ctx, session))) return;
  const error = cannotContinue(ctx, session).toErrorInfo();
  for (const { id } of queued)
    await ctx.store.updateMessage(session.id, id, { state: 'failed', error, endedAt: ctx.now() });
  notifyChange(ctx);
}

async function findNext(ctx: DaemonContext, id: string): Promise<Message | undefined> {
  const queued = await ctx.store.listMessages(id, ['queued']);
  // A previous daemon died while sending this message into a turn that may have ended.
  for (const { id: stale } of queued.filter(({ mode }) => mode === 'steer'))
    await ctx.store.updateMessage(id, stale, { state: 'unknown', endedAt: ctx.now() });
  // A continuation after a limit comes before messages queued later.
  return queued.find((message) => isContinuation(message.id)) ?? queued.find(({ mode }) => mode !== 'steer');
}

function isFree(live: LiveSession): boolean {
  const { turn } = live.projector.state;
  return live.link !== undefined && live.ending === null && live.inFlight === null && !turn && !isOver(live);
}

async function sendToKeeper(ctx: DaemonContext, live: LiveSession, message: Message): Promise<void> {
  live.inFlight = message.id;
  try {
    const attachments = await attachmentsOf(ctx, message);
    const delivery = { messageId: message.id, text: message.text, attachments };
    await live.link?.request({ type: 'send', sessionId: live.id, message: delivery });
  } catch (error) {
    live.inFlight = null;
    throw error;
  }
}

/** Codes for which an unknown keeper may hold the session and have the message. */
const MAYBE_HELD: ReadonlySet<string> = new Set([
  'KEEPER_GONE',
  'KEEPER_UNREACHABLE',
  'KEEPER_EXISTS',
  'JOURNAL_AHEAD',
  'DUPLICATE_MESSAGE',
]);

/**
 * A refused message is not retried automatically, unless it only waits for a slot and no caller waits for the result.
 */
async function handleRefusal(
  ctx: DaemonContext,
  id: string,
  message: Message,
  error: unknown,
  { isPatient, wasLive }: { isPatient: boolean; wasLive: boolean },
): Promise<void> {
  const refusal = asRefusal(error);
  if (refusal.code === 'TOO_MANY_SESSIONS' && isPatient) {
    ctx.waitingForSlot.add(id);
    return;
  }
  if (MAYBE_HELD.has(refusal.code) && (await isAlreadyHandled(ctx, id, message.id))) return;
  // The live process ended before it accepted the message, and its journal has been read: the next process gets it.
  if (wasLive && refusal.code === 'KEEPER_GONE') return ctx.scheduleDelivery(id);
  // The run has just ended, which is reported right after this; the message waits for the next run.
  if (refusal.code === 'RUN_ENDED' && ctx.live.has(id)) return;
  const issue = refusal.toErrorInfo();
  ctx.log(`${id}: message ${message.id} was refused: ${issue.message}`);
  await ctx.store.updateMessage(id, message.id, { state: 'failed', error: issue, endedAt: ctx.now() });
  await resetSession(ctx, id, issue);
  notifyChange(ctx);
  ctx.scheduleDelivery(id);
}

/** Adopts or reconciles the session. Returns true if the message must not be sent any more. */
async function isAlreadyHandled(ctx: DaemonContext, id: string, messageId: string): Promise<boolean> {
  await adoptOrReconcile(ctx, id);
  const [message, session] = [await ctx.store.getMessage(id, messageId), await ctx.store.getSession(id)];
  // If the session has ended meanwhile, the message waits until it is restored.
  return (
    message?.state !== 'queued' ||
    ctx.live.has(id) ||
    session?.isTerminated === true ||
    session?.activity === 'no_signal'
  );
}

/** After a failed launch, resets the session to the state without a process. */
async function resetSession(ctx: DaemonContext, id: string, error: ErrorInfo): Promise<void> {
  if (ctx.live.has(id)) return;
  const session = await ctx.store.getSession(id);
  if (!session || session.isTerminated) return;
  const change =
    session.activity === 'spawning'
      ? ({ activity: session.limit === null ? 'idle' : 'limited', activitySince: ctx.now(), parked: true } as const)
      : {};
  await ctx.store.updateSession(id, { ...change, error, keeperPid: null });
}
