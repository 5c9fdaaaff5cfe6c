import { join } from 'node:path';
import type { SessionEvent } from '@agent-mux/api';
import { endMarkedProcesses } from '@agent-mux/core';
import { readJournal } from '../journal/read-journal.ts';
import { forgetKeeper, isKeeperAlive, readKeeperRecord } from '../keeper/record.ts';
import { adoptKeeper } from './adopt.ts';
import type { Desk, LiveSession } from './desk.ts';
import { runIdOf } from './ids.ts';
import { takeLines } from './take-events.ts';

/** A connection to a keeper is lost: it lives and is taken up again, or it has gone and its sessions are settled. */
export async function settleGoneKeeper(desk: Desk, folder: string): Promise<void> {
  const record = await readKeeperRecord(folder);
  if (record && isKeeperAlive(record) && (await adoptKeeper(desk, folder))) return;
  const held = [...desk.live.values()].filter((live) => live.link?.folder === folder);
  for (const live of held) await desk.serial.run(live.id, () => settleSession(desk, live));
  if (record) await endMarkedProcesses(record.mark);
  await forgetKeeper(folder);
  for (const live of held) desk.kick(live.id);
}

/**
 * The keeper of a session is dead. Whatever it wrote before is read to its end; then the session is shown as what it is: over,
 * where its journal says so; parked, where nothing was going on; lost, where a turn was running.
 */
export async function settleSession(desk: Desk, live: LiveSession): Promise<void> {
  const events = await drainJournal(desk, live);
  live.inFlight = null;
  const { turn, isTerminated, parked } = live.projector.state;
  const isOver = events.some(({ type }) => type === 'run_result') || isTerminated || parked;
  await endMarkedProcesses(runIdOf(live.id, live.launch));
  if (!isOver && (turn || !live.canResume || live.projector.nativeId === null)) await tellLost(desk, live);
  else if (!isOver) await park(desk, live);
  if (desk.live.get(live.id) === live) desk.live.delete(live.id);
  desk.wakers.wake(live.id);
}

async function drainJournal(desk: Desk, live: LiveSession): Promise<SessionEvent[]> {
  const taken: SessionEvent[] = [];
  for await (const lines of readJournal(join(desk.places.sessions, live.id), live.lastSeq))
    taken.push(...(await takeLines(desk, live, lines)));
  return taken;
}

async function tellLost(desk: Desk, live: LiveSession): Promise<void> {
  const note: SessionEvent = {
    type: 'keeper_lost',
    message: 'the process that held this session has ended without a word, and the agent with it',
    unknownMessages: live.projector.accepted,
    agent: live.agent,
    runId: runIdOf(live.id, live.launch),
    turnIndex: 0,
    seq: live.lastSeq + 1,
    timestamp: desk.now(),
  };
  await takeLines(desk, live, [JSON.stringify(note)]);
}

async function park(desk: Desk, live: LiveSession): Promise<void> {
  const now = desk.now();
  await desk.store.updateSession(live.id, {
    activity: 'idle',
    activitySince: now,
    parked: true,
    keeperPid: null,
    updatedAt: now,
  });
}
