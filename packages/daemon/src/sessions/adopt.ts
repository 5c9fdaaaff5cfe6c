import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Session, SessionEvent } from '@agent-mux/api';
import { isRecord, messageOf, parseIfJson } from '@agent-mux/core';
import { PROJECTED_LINE } from '../activity/projected-events.ts';
import { connectKeeper } from '../keeper/connect-keeper.ts';
import type { KeeperRecord } from '../keeper/protocol.ts';
import { isKeeperAlive, readRecord } from '../keeper/record.ts';
import { evaluatePending } from '../policy/evaluate.ts';
import { type DaemonContext, type LiveSession, notifyChange } from './daemon-context.ts';
import { type KeeperLink, keyOf, openLink } from './keeper-link.ts';
import { keeperEvents } from './keepers/keeper-events.ts';
import { findOrphanedKeeper, rememberKeeper } from './keepers/keeper-identity.ts';
import { prepareLive } from './launch.ts';
import { reconcileLostSession } from './reconcile-lost.ts';

/** Number of journal lines read at once to replay a launch. */
const RECALL_PAGE = 5000;
/** A keeper that was started right before the last daemon died may not have written its record yet. */
const SPAWN_TIMEOUT_MS = 3000;
const POLL_MS = 50;
const ADOPTION_TIMEOUT_MS = 4000;

/**
 * Runs at the start of the daemon. Finds live keepers by the folders of their sessions and resumes reading where the
 * store ends, reconciles sessions whose keeper is gone, and delivers queued messages.
 */
export async function adoptAll(ctx: DaemonContext): Promise<void> {
  const unfinished = await ctx.store.listUnfinished();
  const held = unfinished.filter(hasLiveProcess);
  const adopting = held.map(({ id }) => ctx.mutex.run(id, () => adoptOrReconcile(ctx, id)));
  // A keeper that does not answer must not delay the others.
  await Promise.race([Promise.all(adopting), sleep(ADOPTION_TIMEOUT_MS, undefined, { ref: false })]);
  for (const { id, queuedMessages } of unfinished) if (queuedMessages > 0) ctx.scheduleDelivery(id);
}

/** Adopts or reconciles the sessions of a lost connection, or of one whose events could not be stored. */
export async function readopt(ctx: DaemonContext, link: KeeperLink): Promise<void> {
  const held = [...ctx.live.values()].filter((live) => live.link === link);
  for (const live of held) {
    await ctx.mutex.run(live.id, async () => {
      if (ctx.live.get(live.id) !== live) return;
      ctx.live.delete(live.id);
      ctx.signals.notify(live.id);
      await adoptOrReconcile(ctx, live.id);
    });
    ctx.scheduleDelivery(live.id);
  }
}

/**
 * For a session whose row says that a process holds it, but which is not live here. Call it while holding the session's
 * mutex.
 */
export async function adoptOrReconcile(ctx: DaemonContext, id: string): Promise<void> {
  const session = await ctx.store.getSession(id);
  if (!session || !hasLiveProcess(session) || ctx.live.has(id)) return ctx.retries.clear(id);
  try {
    const record = await findKeeper(ctx, session);
    if (record && isKeeperAlive(record)) {
      const problem = await adopt(ctx, session, record);
      if (problem === null) return ctx.retries.clear(id);
      // It may have exited meanwhile. A live keeper is never killed for not answering: its agent may be running.
      if (isKeeperAlive(record)) return await waitForSignal(ctx, session, `keeper ${record.pid}: ${problem}`);
    }
    const orphan = record ? undefined : await findOrphanedKeeper(ctx, id);
    if (orphan) return await waitForSignal(ctx, session, `keeper ${orphan.pid}: the folder of the session was deleted`);
    ctx.retries.clear(id);
    await reconcileLostSession(ctx, await recall(ctx, session), record);
  } catch (error) {
    ctx.log(`${session.id}: cannot be adopted: ${messageOf(error)}`);
  }
}

/**
 * For a live keeper that cannot be reached: it is stopped, busy, or of an unknown version. One timer per session
 * retries.
 */
async function waitForSignal(ctx: DaemonContext, { id, activity }: Session, problem: string): Promise<void> {
  if (activity !== 'no_signal') await ctx.store.updateSession(id, { activity: 'no_signal', activitySince: ctx.now() });
  notifyChange(ctx);
  const again = async () => {
    await ctx.mutex.run(id, () => adoptOrReconcile(ctx, id));
    if (!ctx.retries.has(id)) ctx.scheduleDelivery(id);
  };
  const attempt = () => {
    if (!ctx.isClosing()) again().catch((error) => ctx.log(`${id}: ${messageOf(error)}`));
  };
  if (ctx.retries.arm(id, problem, attempt)) ctx.log(`${id}: ${problem}; retrying`);
}

/** Waits for a keeper that is starting. One that starts even later finds that its journal has moved on. */
async function findKeeper(ctx: DaemonContext, { id, activity }: Session): Promise<KeeperRecord | undefined> {
  const folder = join(ctx.paths.sessions, id);
  const until = performance.now() + (activity === 'spawning' ? SPAWN_TIMEOUT_MS : 0);
  for (;;) {
    const record = readRecord(folder);
    if (record || performance.now() >= until) return record;
    await sleep(POLL_MS);
  }
}

/** Null if the session is live now; else why not: the keeper does not answer, or does not hold this launch. */
async function adopt(ctx: DaemonContext, session: Session, record: KeeperRecord): Promise<string | null> {
  try {
    const link = await linkTo(ctx, session, record);
    return ctx.live.get(session.id)?.link === link ? null : `does not hold launch ${session.launch} of the session`;
  } catch (error) {
    return messageOf(error);
  }
}

/** Opens one connection for all sessions of a keeper. */
async function linkTo(ctx: DaemonContext, session: Session, record: KeeperRecord): Promise<KeeperLink> {
  const key = keyOf(record);
  const connecting = ctx.connecting.get(key);
  if (connecting) return connecting;
  const known = ctx.keepers.get(key);
  if (known && ctx.live.get(session.id)?.link === known) return known;
  // The existing connection does not follow this session, so a new one replaces it for all sessions of the keeper.
  const fresh = (known ? known.lose() : Promise.resolve())
    .then(() => connect(ctx, session))
    .finally(() => ctx.connecting.delete(key));
  ctx.connecting.set(key, fresh);
  return fresh;
}

async function connect(ctx: DaemonContext, { id }: Session): Promise<KeeperLink> {
  const sessions = new Map((await ctx.store.listUnfinished()).map((session) => [session.id, session]));
  const after = Object.fromEntries([...sessions.values()].map(({ id, lastSeq }) => [id, lastSeq]));
  const folder = join(ctx.paths.sessions, id);
  const { link, start } = await openLink((listener) => connectKeeper(folder, { after, listener }), keeperEvents(ctx));
  for (const { sessionId, launch } of link.welcome.sessions) {
    const session = sessions.get(sessionId);
    // A keeper may still report an earlier launch of a session that another keeper holds now.
    if (!session || session.launch !== launch || !hasLiveProcess(session) || ctx.live.has(sessionId)) continue;
    const live = await recall(ctx, session);
    live.link = link;
    ctx.live.set(sessionId, live);
    ctx.retries.clear(sessionId);
    await rememberKeeper(ctx, sessionId, link.record);
    const { activity } = live.projector.state;
    if (session.activity === 'no_signal')
      await ctx.store.updateSession(sessionId, { activity, activitySince: ctx.now() });
  }
  ctx.keepers.set(link.key, link);
  start();
  for (const { sessionId } of link.welcome.sessions) evaluatePending(ctx, sessionId);
  return link;
}

/** Whether the row says that a process holds the session. */
export function hasLiveProcess({ parked, isTerminated, launch, origin }: Session): boolean {
  return launch > 0 && !isTerminated && !parked && origin === 'daemon';
}

/** Rebuilds the live session from its row and the events of its last launch. */
async function recall(ctx: DaemonContext, session: Session): Promise<LiveSession> {
  const live = prepareLive(ctx, session);
  for (let after = session.launchSeq - 1; after < session.lastSeq; ) {
    const page = await ctx.store.readEvents(session.id, after, RECALL_PAGE);
    if (page.lines.length === 0) break;
    live.projector.recall(page.lines.filter((line) => PROJECTED_LINE.test(line)).flatMap(readEvent));
    after = page.lastSeq;
  }
  live.projector.endRecall();
  return live;
}

function readEvent(line: string): SessionEvent[] {
  const event = parseIfJson(line);
  return isRecord(event) ? [event as unknown as SessionEvent] : [];
}
