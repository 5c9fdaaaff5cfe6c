import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Session, SessionEvent } from '@agent-mux/api';
import { isRecord, messageOf, parseIfJson } from '@agent-mux/core';
import { PROJECTED_LINE } from '../activity/projected-events.ts';
import { connectKeeper } from '../keeper/connect-keeper.ts';
import type { KeeperRecord } from '../keeper/protocol.ts';
import { isKeeperAlive, readRecord } from '../keeper/record.ts';
import { judgeWaiting } from '../policy/judge.ts';
import { type Desk, type LiveSession, tellChange } from './desk.ts';
import { type KeeperLink, keyOf, openLink } from './keeper-link.ts';
import { keeperEvents } from './keepers/keeper-events.ts';
import { findOrphanedKeeper, rememberKeeper } from './keepers/keeper-identity.ts';
import { prepareLive } from './launch.ts';
import { settleSession } from './settle-lost.ts';

/** So many lines of a launch are read at once to recall what it was about. */
const RECALL_PAGE = 5000;
/** A keeper that was started right before the last daemon died may not have said yet that it is there. */
const SPAWN_PATIENCE_MS = 3000;
const POLL_MS = 50;
const ADOPTION_PATIENCE_MS = 4000;

/**
 * The daemon begins: keepers that live are found by the folders of their sessions and read on from what the store has; sessions
 * whose keeper is gone are settled; and what was queued goes on.
 */
export async function adoptAll(desk: Desk): Promise<void> {
  const unfinished = await desk.store.listUnfinished();
  const held = unfinished.filter(seemsAlive);
  const adopting = held.map(({ id }) => desk.serial.run(id, () => adoptOrSettle(desk, id)));
  // A keeper that does not answer keeps nobody else waiting.
  await Promise.race([Promise.all(adopting), sleep(ADOPTION_PATIENCE_MS, undefined, { ref: false })]);
  for (const { id, queuedMessages } of unfinished) if (queuedMessages > 0) desk.kick(id);
}

/** A connection is lost, or what was said on it could not be stored: its sessions are taken up again, or settled. */
export async function takeUpAgain(desk: Desk, link: KeeperLink): Promise<void> {
  const held = [...desk.live.values()].filter((live) => live.link === link);
  for (const live of held) {
    await desk.serial.run(live.id, async () => {
      if (desk.live.get(live.id) !== live) return;
      desk.live.delete(live.id);
      desk.wakers.wake(live.id);
      await adoptOrSettle(desk, live.id);
    });
    desk.kick(live.id);
  }
}

/** A session whose row says that a process holds it, and that is not live here. Runs within the session's serial. */
export async function adoptOrSettle(desk: Desk, id: string): Promise<void> {
  const session = await desk.store.getSession(id);
  if (!session || !seemsAlive(session) || desk.live.has(id)) return desk.retries.clear(id);
  try {
    const record = await findKeeper(desk, session);
    if (record && isKeeperAlive(record)) {
      const problem = await adopt(desk, session, record);
      if (problem === null) return desk.retries.clear(id);
      // It may have left meanwhile. One that lives is never ended for not answering: its agent may be at work.
      if (isKeeperAlive(record)) return await waitForSignal(desk, session, `keeper ${record.pid}: ${problem}`);
    }
    const orphan = record ? undefined : await findOrphanedKeeper(desk, id);
    if (orphan)
      return await waitForSignal(desk, session, `keeper ${orphan.pid}: the folder of the session was deleted`);
    desk.retries.clear(id);
    await settleSession(desk, await recall(desk, session), record);
  } catch (error) {
    desk.log(`${session.id}: cannot be taken up: ${messageOf(error)}`);
  }
}

/** A keeper that lives and cannot be reached: it is stopped, busy, or of an unknown version. One timer per session tries again. */
async function waitForSignal(desk: Desk, { id, activity }: Session, problem: string): Promise<void> {
  if (activity !== 'no_signal')
    await desk.store.updateSession(id, { activity: 'no_signal', activitySince: desk.now() });
  tellChange(desk);
  const again = async () => {
    await desk.serial.run(id, () => adoptOrSettle(desk, id));
    if (!desk.retries.has(id)) desk.kick(id);
  };
  const attempt = () => {
    if (!desk.isClosing()) again().catch((error) => desk.log(`${id}: ${messageOf(error)}`));
  };
  if (desk.retries.arm(id, problem, attempt)) desk.log(`${id}: ${problem}; trying again`);
}

/** One that is about to begin is waited for; where it comes later still, it finds that its journal has gone on without it. */
async function findKeeper(desk: Desk, { id, activity }: Session): Promise<KeeperRecord | undefined> {
  const folder = join(desk.places.sessions, id);
  const until = performance.now() + (activity === 'spawning' ? SPAWN_PATIENCE_MS : 0);
  for (;;) {
    const record = readRecord(folder);
    if (record || performance.now() >= until) return record;
    await sleep(POLL_MS);
  }
}

/** Null: it is live here now. Else why not: the keeper does not answer, or does not hold this launch. */
async function adopt(desk: Desk, session: Session, record: KeeperRecord): Promise<string | null> {
  try {
    const link = await linkTo(desk, session, record);
    return desk.live.get(session.id)?.link === link ? null : `does not hold launch ${session.launch} of the session`;
  } catch (error) {
    return messageOf(error);
  }
}

/** One connection for all sessions of a keeper. */
async function linkTo(desk: Desk, session: Session, record: KeeperRecord): Promise<KeeperLink> {
  const key = keyOf(record);
  const connecting = desk.connecting.get(key);
  if (connecting) return connecting;
  const known = desk.keepers.get(key);
  if (known && desk.live.get(session.id)?.link === known) return known;
  // A connection that does not follow this session never will: another one does, for all sessions of the keeper.
  const fresh = (known ? known.lose() : Promise.resolve())
    .then(() => connect(desk, session))
    .finally(() => desk.connecting.delete(key));
  desk.connecting.set(key, fresh);
  return fresh;
}

async function connect(desk: Desk, { id }: Session): Promise<KeeperLink> {
  const sessions = new Map((await desk.store.listUnfinished()).map((session) => [session.id, session]));
  const after = Object.fromEntries([...sessions.values()].map(({ id, lastSeq }) => [id, lastSeq]));
  const folder = join(desk.places.sessions, id);
  const { link, begin } = await openLink((listener) => connectKeeper(folder, { after, listener }), keeperEvents(desk));
  for (const { sessionId, launch } of link.welcome.sessions) {
    const session = sessions.get(sessionId);
    // A keeper may still know an earlier launch of a session that another one holds now.
    if (!session || session.launch !== launch || !seemsAlive(session) || desk.live.has(sessionId)) continue;
    const live = await recall(desk, session);
    live.link = link;
    desk.live.set(sessionId, live);
    desk.retries.clear(sessionId);
    await rememberKeeper(desk, sessionId, link.record);
    const { activity } = live.projector.state;
    if (session.activity === 'no_signal')
      await desk.store.updateSession(sessionId, { activity, activitySince: desk.now() });
  }
  desk.keepers.set(link.key, link);
  begin();
  for (const { sessionId } of link.welcome.sessions) judgeWaiting(desk, sessionId);
  return link;
}

/** Its row says that a process holds it. */
export function seemsAlive({ parked, isTerminated, launch, origin }: Session): boolean {
  return launch > 0 && !isTerminated && !parked && origin === 'daemon';
}

/** The session as it was, from its row and the events of its last launch. */
async function recall(desk: Desk, session: Session): Promise<LiveSession> {
  const live = prepareLive(desk, session);
  for (let after = session.launchSeq - 1; after < session.lastSeq; ) {
    const page = await desk.store.readEvents(session.id, after, RECALL_PAGE);
    if (page.lines.length === 0) break;
    live.projector.recall(page.lines.filter((line) => PROJECTED_LINE.test(line)).flatMap(readEvent));
    after = page.last;
  }
  live.projector.endRecall();
  return live;
}

function readEvent(line: string): SessionEvent[] {
  const event = parseIfJson(line);
  return isRecord(event) ? [event as unknown as SessionEvent] : [];
}
