import type { SessionEvent } from '@agent-mux/api';
import { type AgentEvent, isRecord, messageOf, parseIfJson } from '@agent-mux/core';
import { isLifeEvent, withoutContent } from '../journal/without-content.ts';
import { ANY_CHANGE, type Desk, type LiveSession } from './desk.ts';
import { rememberReported } from './reported.ts';

/**
 * Lines of a journal become rows: understood, committed, then told to whoever waits. What is in the store already is passed
 * over. Rejects where they cannot be stored, or something between them and the store is missing: then the session has to be
 * taken up again from what the store has.
 */
export async function takeLines(desk: Desk, live: LiveSession, lines: readonly string[]): Promise<SessionEvent[]> {
  const { storeActivity } = desk.settings;
  const read = lines.flatMap((line) => readLine(line, live.lastSeq));
  // Its keeper writes none since its launch; the setting may be younger than that.
  const fresh = storeActivity ? read : read.map(emptied);
  const [first] = fresh;
  const last = fresh.at(-1);
  if (!first || !last) return [];
  const events = fresh.map(({ event }) => event);
  const projection = live.projector.project(events);
  if (!storeActivity) delete projection.session.lastLine;
  await desk.committer.commit({
    sessionId: live.id,
    from: first.seq,
    to: last.seq,
    lines: storeActivity ? fresh : fresh.filter(({ event }) => isLifeEvent(event)),
    ...projection,
    now: desk.now(),
  });
  await desk.governor.learn(live, events.filter(isAgentEvent));
  live.lastSeq = last.seq;
  // After the commit, which waits for room on a full disk.
  await rememberReported(desk.store, live.id, events).catch((error: unknown) =>
    desk.log(`${live.id}: what its agent tells of itself cannot be kept: ${messageOf(error)}`),
  );
  live.quietSince = performance.now();
  if (
    live.inFlight !== null &&
    events.some((event) => event.type === 'user_message' && event.messageId === live.inFlight)
  )
    live.inFlight = null;
  return events;
}

/** Not one of the daemon's own. */
function isAgentEvent(event: SessionEvent): event is AgentEvent {
  return event.type !== 'user_message' && event.type !== 'keeper_lost' && event.type !== 'run_result';
}

/** What a commit of events has changed, for those who wait. */
export function tellCommitted(desk: Pick<Desk, 'wakers'>, sessionIds: Iterable<string>): void {
  for (const id of sessionIds) desk.wakers.wake(id);
  desk.wakers.wake(ANY_CHANGE);
}

function emptied({ seq, event: whole }: Fresh): Fresh {
  const event = withoutContent(whole);
  return { seq, event, line: JSON.stringify(event) };
}

interface Fresh {
  seq: number;
  line: string;
  event: SessionEvent;
}

function readLine(line: string, lastSeq: number): Fresh[] {
  const event = parseIfJson(line);
  if (!isSessionEvent(event) || event.seq <= lastSeq) return [];
  return [{ seq: event.seq, line, event }];
}

/** The journal is written by a keeper of ours, perhaps of another version: its envelope is looked at, its types are not. */
function isSessionEvent(value: unknown): value is SessionEvent {
  return (
    isRecord(value) &&
    typeof value.type === 'string' &&
    Number.isInteger(value.seq) &&
    typeof value.timestamp === 'number'
  );
}
