import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Session, SessionEvent } from '@agent-mux/api';
import { isRecord, messageOf, parseIfJson } from '@agent-mux/core';
import { readActivity } from '../activity/reduce-activity.ts';
import { connectKeeper } from '../keeper/connect-keeper.ts';
import { awaitKeeper } from '../keeper/record.ts';
import type { Desk, LiveSession } from './desk.ts';
import { keeperEvents } from './keeper-events.ts';
import { prepareLive } from './launch.ts';
import { settleGoneKeeper, settleSession } from './settle-lost.ts';

/** So many lines of a launch are read at once to recall what it was about. */
const RECALL_PAGE = 5000;
/** Only these say what a session is doing, or what it has used. */
const TELLING = /"type":"(?:cost|session_start|message_start|turn_start|text_delta|subagent_start|subagent_end)"/;

/**
 * The daemon begins: keepers that live are found by their folders and read on from what the store has; sessions whose keeper is
 * gone are settled; and what was queued goes on.
 */
export async function adoptAll(desk: Desk): Promise<void> {
  const folders = (await readdir(desk.places.keepers).catch(() => [])).map((name) => join(desk.places.keepers, name));
  await Promise.all(folders.map((folder) => adoptOrSettle(desk, folder)));
  const unfinished = await desk.store.listUnfinished();
  for (const session of unfinished) {
    if (!desk.live.has(session.id)) {
      if (seemsAlive(session))
        await desk.serial.run(session.id, async () => settleSession(desk, await recall(desk, session)));
      if (session.queuedMessages > 0) desk.kick(session.id);
    }
  }
}

async function adoptOrSettle(desk: Desk, folder: string): Promise<void> {
  try {
    // One that was just started may not listen yet; one that was never to begin is told so for good.
    const record = await awaitKeeper(folder);
    if (record && (await adoptKeeper(desk, folder))) return;
    await settleGoneKeeper(desk, folder);
  } catch (error) {
    desk.log(`${folder}: cannot be taken up: ${messageOf(error)}`);
  }
}

/** False: there is none that answers. */
export async function adoptKeeper(desk: Desk, folder: string): Promise<boolean> {
  const sessions = new Map((await desk.store.listUnfinished()).map((session) => [session.id, session]));
  const after = Object.fromEntries([...sessions.values()].map(({ id, lastSeq }) => [id, lastSeq]));
  const link = await connectKeeper(folder, {
    after,
    handlers: keeperEvents(desk, folder),
    /** Before the first event is handed over. */
    welcomed: async (welcome, connected) => {
      for (const held of welcome.sessions) {
        const session = sessions.get(held.sessionId);
        if (!session || held.phase === 'ended') continue;
        const live = await recall(desk, session);
        live.link = connected;
        desk.live.set(session.id, live);
      }
    },
  }).catch((error: unknown) => {
    desk.log(`${folder}: ${messageOf(error)}`);
    return undefined;
  });
  if (!link) return false;
  desk.keepers.set(folder, link);
  for (const live of desk.live.values()) if (live.link === link) desk.kick(live.id);
  return true;
}

function seemsAlive({ activity, parked, isTerminated, launch }: Session): boolean {
  return launch > 0 && !isTerminated && (!parked || activity === 'spawning');
}

/** The session as it was when the daemon ended, from its rows and the events of its last launch. */
async function recall(desk: Desk, session: Session): Promise<LiveSession> {
  const { rows: open } = await desk.store.listRequests({ sessionId: session.id, state: 'open', limit: 500 });
  const ofLaunch = open.filter(({ launch }) => launch === session.launch);
  const state = readActivity(session, {
    approvals: ofLaunch.filter(({ kind }) => kind === 'approval').map(({ requestId }) => requestId),
    questions: ofLaunch.filter(({ kind }) => kind === 'question').map(({ requestId }) => requestId),
  });
  const accepted = await desk.store.listMessages(session.id, ['accepted']);
  const live = prepareLive(
    desk,
    session,
    state,
    accepted.map(({ id }) => id),
  );
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
