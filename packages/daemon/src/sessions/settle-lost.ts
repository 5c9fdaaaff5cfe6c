import { join } from 'node:path';
import type { SessionEvent } from '@agent-mux/api';
import { endProcessesOfHost } from '@agent-mux/core';
import { readJournal } from '../journal/read-journal.ts';
import type { KeeperRecord } from '../keeper/protocol.ts';
import { removeDead } from '../keeper/record.ts';
import { journalIn } from '../places.ts';
import { canContinue } from './can-continue.ts';
import type { Desk, LiveSession } from './desk.ts';
import { runIdOf } from './ids.ts';
import { takeLines } from './take-events.ts';

/**
 * The keeper of a session is dead. Whatever it wrote before is read to its end; then the session is shown as what it is: over,
 * where its journal says so; parked, where nothing was going on; lost, where a turn was running.
 */
export async function settleSession(desk: Desk, live: LiveSession, keeper: KeeperRecord | undefined): Promise<void> {
  // Its watchman does the same; but whoever killed the keeper may have killed that too.
  if (keeper?.mark !== undefined) await endProcessesOfHost(keeper.mark);
  const folder = join(desk.places.sessions, live.id);
  const events = await drainJournal(desk, live, folder);
  live.inFlight = null;
  const { turn, isTerminated, parked } = live.projector.state;
  const isOver = events.some(({ type }) => type === 'run_result') || isTerminated || parked;
  if (!isOver && live.projector.hasConversation && (turn || !canContinue(live.projector))) await tellLost(desk, live);
  else if (!isOver) await park(desk, live);
  removeDead(folder);
  if (desk.live.get(live.id) === live) desk.live.delete(live.id);
  desk.wakers.wake(live.id);
}

async function drainJournal(desk: Desk, live: LiveSession, folder: string): Promise<SessionEvent[]> {
  const taken: SessionEvent[] = [];
  for await (const { lines, faults } of readJournal(journalIn(folder), live.lastSeq)) {
    for (const { file, offset, problem } of faults) desk.log(`${file}, byte ${offset}: ${problem}`);
    taken.push(
      ...(await takeLines(
        desk,
        live,
        lines.map(({ line }) => line),
      )),
    );
  }
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
    activity: live.projector.state.limit === null ? 'idle' : 'limited',
    activitySince: now,
    parked: true,
    keeperPid: null,
    updatedAt: now,
  });
}
