import type { SessionEvent } from '@agent-mux/api';
import { type AgentEvent, isRecord, messageOf, parseIfJson } from '@agent-mux/core';
import { ANY_CHANGE, type Desk, type LiveSession } from './desk.ts';
import { rememberReported } from './reported.ts';

/** What is kept of a session where what is said in it is not to be stored. */
const LIFE_EVENTS: ReadonlySet<string> = new Set([
  'session_start',
  'session_resume',
  'session_fork',
  'session_end',
  'turn_start',
  'turn_end',
  'approval_request',
  'approval_resolved',
  'input_required',
  'input_resolved',
  'cost',
  'rate_limit_status',
  'rate_limit_error',
  'auth_error',
  'context_exceeded',
  'error',
  'crash',
  'timeout',
  'aborted',
  'interrupted',
  'keeper_lost',
  'run_result',
]);

/**
 * Lines of a journal become rows: understood, committed, then told to whoever waits. What is in the store already is passed
 * over. Rejects where they cannot be stored, or something between them and the store is missing: then the session has to be
 * taken up again from what the store has.
 */
export async function takeLines(desk: Desk, live: LiveSession, lines: readonly string[]): Promise<SessionEvent[]> {
  const fresh = lines.flatMap((line) => readLine(line, live.lastSeq));
  const [first] = fresh;
  const last = fresh.at(-1);
  if (!first || !last) return [];
  const events = fresh.map(({ event }) => event);
  const projection = live.projector.project(events);
  const { storeActivity } = desk.settings;
  await desk.committer.commit({
    sessionId: live.id,
    from: first.seq,
    to: last.seq,
    lines: storeActivity ? fresh : fresh.flatMap(withoutWords),
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

/** How the session goes, and nothing of what is said in it. */
function withoutWords(each: Fresh): Fresh[] {
  const { event, seq } = each;
  if (!LIFE_EVENTS.has(event.type)) return [];
  if (event.type !== 'run_result') return [each];
  const { structured: _, ...rest } = event;
  return [{ seq, event, line: JSON.stringify({ ...rest, text: '' }) }];
}

/** What a commit of events has changed, for those who wait. */
export function tellCommitted(desk: Pick<Desk, 'wakers'>, sessionIds: Iterable<string>): void {
  for (const id of sessionIds) desk.wakers.wake(id);
  desk.wakers.wake(ANY_CHANGE);
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
