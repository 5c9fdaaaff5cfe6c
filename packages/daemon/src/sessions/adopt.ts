import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Session, SessionEvent } from '@agent-mux/api';
import { isRecord, messageOf, parseIfJson } from '@agent-mux/core';
import { connectKeeper } from '../keeper/connect-keeper.ts';
import type { KeeperRecord } from '../keeper/protocol.ts';
import { isKeeperAlive, readRecord } from '../keeper/record.ts';
import { judgeWaiting } from '../policy/judge.ts';
import { type Desk, type LiveSession, tellChange } from './desk.ts';
import { keeperEvents } from './keeper-events.ts';
import { type KeeperLink, keyOf, openLink } from './keeper-link.ts';
import { prepareLive } from './launch.ts';
import { settleSession } from './settle-lost.ts';

/** So many lines of a launch are read at once to recall what it was about. */
const RECALL_PAGE = 5000;
/** Most of a long session is none of these: it need not be parsed. */
const TELLING = new RegExp(
  `"type":"(?:${[
    'user_message|session_start|message_start|text_delta|tool_call_start|turn_start|turn_end|subagent_start|subagent_end|cost|title',
    'approval_request|approval_resolved|input_required|input_resolved|debug|run_result|keeper_lost',
    'rate_limit_error|auth_error|context_exceeded|error|crash|timeout',
  ].join('|')})"`,
);
/** A keeper that was started right before the last daemon died may not have said yet that it is there. */
const SPAWN_PATIENCE_MS = 3000;
const POLL_MS = 50;
const SIGNAL_EVERY_MS = 5000;
const ADOPTION_PATIENCE_MS = 4000;

/**
 * The daemon begins: keepers that live are found by the folders of their sessions and read on from what the store has; sessions
 * whose keeper is gone are settled; and what was queued goes on.
 */
export async function adoptAll(desk: Desk): Promise<void> {
  const unfinished = await desk.store.listUnfinished();
  const held = unfinished.filter(seemsAlive);
  const adopting = held.map((session) => desk.serial.run(session.id, () => adoptOrSettle(desk, session)));
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
      const session = await desk.store.getSession(live.id);
      if (session) await adoptOrSettle(desk, session);
    });
    desk.kick(live.id);
  }
}

/** Runs within the session's serial. */
export async function adoptOrSettle(desk: Desk, session: Session): Promise<void> {
  try {
    const record = await findKeeper(desk, session);
    if (record && isKeeperAlive(record)) {
      if (await adopt(desk, session, record)) return;
      // It may have left meanwhile. One that lives is never ended for not answering: its agent may be at work.
      if (isKeeperAlive(record)) return await waitForSignal(desk, session);
    }
    await settleSession(desk, await recall(desk, session), record);
  } catch (error) {
    desk.log(`${session.id}: cannot be taken up: ${messageOf(error)}`);
  }
}

/** A keeper that lives and cannot be spoken to: it is stopped, busy, or of a version that nobody here knows. It is asked again and again. */
async function waitForSignal(desk: Desk, session: Session): Promise<void> {
  if (session.activity !== 'no_signal')
    await desk.store.updateSession(session.id, { activity: 'no_signal', activitySince: desk.now() });
  tellChange(desk);
  const timer = setTimeout(() => {
    if (desk.isClosing() || desk.live.has(session.id)) return;
    const again = async () => {
      const now = await desk.store.getSession(session.id);
      if (now && !desk.live.has(session.id)) await adoptOrSettle(desk, now);
    };
    const done = desk.serial.run(session.id, again);
    done.then(() => desk.kick(session.id)).catch((error) => desk.log(`${session.id}: ${messageOf(error)}`));
  }, SIGNAL_EVERY_MS);
  timer.unref();
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

/** False: there is none that answers, or it no longer holds this session. */
async function adopt(desk: Desk, session: Session, record: KeeperRecord): Promise<boolean> {
  const link = await linkTo(desk, session, record);
  const held = link?.welcome.sessions.find(({ sessionId }) => sessionId === session.id);
  return held !== undefined && desk.live.get(session.id)?.link === link;
}

/** One connection for all sessions of a keeper. */
function linkTo(desk: Desk, session: Session, record: KeeperRecord): Promise<KeeperLink | undefined> {
  const key = keyOf(record);
  const known = desk.keepers.get(key);
  if (known) return Promise.resolve(known);
  const connecting = desk.connecting.get(key) ?? connect(desk, session).finally(() => desk.connecting.delete(key));
  desk.connecting.set(key, connecting);
  return connecting;
}

async function connect(desk: Desk, { id }: Session): Promise<KeeperLink | undefined> {
  const sessions = new Map((await desk.store.listUnfinished()).map((session) => [session.id, session]));
  const after = Object.fromEntries([...sessions.values()].map(({ id, lastSeq }) => [id, lastSeq]));
  try {
    const folder = join(desk.places.sessions, id);
    const { link, begin } = await openLink(
      (listener) => connectKeeper(folder, { after, listener }),
      keeperEvents(desk),
    );
    for (const { sessionId, launch } of link.welcome.sessions) {
      const session = sessions.get(sessionId);
      if (!session || desk.live.has(sessionId)) continue;
      const live = await recall(desk, { ...session, launch });
      live.link = link;
      desk.live.set(sessionId, live);
      const { activity } = live.projector.state;
      if (session.activity === 'no_signal')
        await desk.store.updateSession(sessionId, { activity, activitySince: desk.now() });
    }
    desk.keepers.set(link.key, link);
    begin();
    for (const { sessionId } of link.welcome.sessions) judgeWaiting(desk, sessionId);
    return link;
  } catch (error) {
    desk.log(`${id}: ${messageOf(error)}`);
    return undefined;
  }
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
    live.projector.recall(page.lines.filter((line) => TELLING.test(line)).flatMap(readEvent));
    after = page.last;
  }
  live.projector.endRecall();
  return live;
}

function readEvent(line: string): SessionEvent[] {
  const event = parseIfJson(line);
  return isRecord(event) ? [event as unknown as SessionEvent] : [];
}
