import { join } from 'node:path';
import type { SessionEvent } from '@agent-mux/api';
import { terminateHostProcesses } from '@agent-mux/core';
import { readJournal } from '../journal/read-journal.ts';
import type { KeeperRecord } from '../keeper/protocol.ts';
import { removeStaleRecord } from '../keeper/record.ts';
import { journalIn } from '../paths.ts';
import { canContinue } from './can-continue.ts';
import type { DaemonContext, LiveSession } from './daemon-context.ts';
import { runIdOf } from './ids.ts';
import { ingestLines } from './ingest-events.ts';

/**
 * Handles the death of a keeper. Reads its journal to the end, then marks the session: ended, if the journal says so;
 * parked, if it was idle; lost, if a turn was running.
 */
export async function reconcileLostSession(
  ctx: DaemonContext,
  live: LiveSession,
  keeper: KeeperRecord | undefined,
): Promise<void> {
  // The reaper does the same, but it may have been killed together with the keeper.
  if (keeper?.mark !== undefined) await terminateHostProcesses(keeper.mark);
  const folder = join(ctx.paths.sessions, live.id);
  const events = await drainJournal(ctx, live, folder);
  live.inFlight = null;
  const { turn, isTerminated, parked } = live.projector.state;
  const isOver = events.some(({ type }) => type === 'run_result') || isTerminated || parked;
  if (!isOver && live.projector.hasConversation && (turn || !canContinue(live.projector))) await reportLost(ctx, live);
  else if (!isOver) await park(ctx, live);
  removeStaleRecord(folder);
  if (ctx.live.get(live.id) === live) ctx.live.delete(live.id);
  ctx.signals.notify(live.id);
}

async function drainJournal(ctx: DaemonContext, live: LiveSession, folder: string): Promise<SessionEvent[]> {
  const events: SessionEvent[] = [];
  for await (const { lines, issues } of readJournal(journalIn(folder), live.lastSeq)) {
    for (const { file, offset, problem } of issues) ctx.log(`${file}, byte ${offset}: ${problem}`);
    events.push(
      ...(await ingestLines(
        ctx,
        live,
        lines.map(({ line }) => line),
      )),
    );
  }
  return events;
}

async function reportLost(ctx: DaemonContext, live: LiveSession): Promise<void> {
  const note: SessionEvent = {
    type: 'keeper_lost',
    message: 'the keeper of this session died unexpectedly, and the agent with it',
    unknownMessages: live.projector.accepted,
    agent: live.agent,
    runId: runIdOf(live.id, live.launch),
    turnIndex: 0,
    seq: live.lastSeq + 1,
    timestamp: ctx.now(),
  };
  await ingestLines(ctx, live, [JSON.stringify(note)]);
}

async function park(ctx: DaemonContext, live: LiveSession): Promise<void> {
  const now = ctx.now();
  await ctx.store.updateSession(live.id, {
    activity: live.projector.state.limit === null ? 'idle' : 'limited',
    activitySince: now,
    parked: true,
    keeperPid: null,
    updatedAt: now,
  });
}
