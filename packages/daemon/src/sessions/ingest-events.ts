import type { SessionEvent } from '@agent-mux/api';
import { type AgentEvent, isRecord, messageOf, parseIfJson } from '@agent-mux/core';
import { isLifeEvent, withoutContent } from '../journal/without-content.ts';
import { ANY_CHANGE, type DaemonContext, type LiveSession } from './daemon-context.ts';
import { saveIdentity } from './reported.ts';

/**
 * Projects and commits journal lines, then notifies waiters. Skips what is already stored. Rejects if the lines cannot
 * be stored or do not follow the stored ones; then the session must be adopted again.
 */
export async function ingestLines(
  ctx: DaemonContext,
  live: LiveSession,
  lines: readonly string[],
): Promise<SessionEvent[]> {
  const { storeContent } = ctx.settings;
  const read = lines.flatMap((line) => readLine(line, live.lastSeq));
  // The keeper uses the setting of its launch, which may have changed since.
  const fresh = storeContent ? read : read.map(removeContent);
  const [first] = fresh;
  const last = fresh.at(-1);
  if (!first || !last) return [];
  const events = fresh.map(({ event }) => event);
  const projection = live.projector.project(events);
  if (!storeContent) delete projection.session.statusText;
  await ctx.committer.commit({
    sessionId: live.id,
    from: first.seq,
    to: last.seq,
    lines: storeContent ? fresh : fresh.filter(({ event }) => isLifeEvent(event)),
    ...projection,
    now: ctx.now(),
  });
  await ctx.governor.learn(live, events.filter(isAgentEvent));
  live.lastSeq = last.seq;
  // After the commit, which waits for disk space.
  await saveIdentity(ctx.store, live.id, events).catch((error: unknown) =>
    ctx.log(`${live.id}: cannot store the agent's identity: ${messageOf(error)}`),
  );
  live.quietSince = performance.now();
  if (
    live.inFlight !== null &&
    events.some((event) => event.type === 'user_message' && event.messageId === live.inFlight)
  )
    live.inFlight = null;
  return events;
}

/** False for the daemon's own events. */
function isAgentEvent(event: SessionEvent): event is AgentEvent {
  return event.type !== 'user_message' && event.type !== 'keeper_lost' && event.type !== 'run_result';
}

/** Notifies waiters about committed events. */
export function notifyCommitted(ctx: Pick<DaemonContext, 'signals'>, sessionIds: Iterable<string>): void {
  for (const id of sessionIds) ctx.signals.notify(id);
  ctx.signals.notify(ANY_CHANGE);
}

function removeContent({ seq, event: whole }: Fresh): Fresh {
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

/** The journal may be written by a keeper of another version: its envelope is validated, its types are not. */
function isSessionEvent(value: unknown): value is SessionEvent {
  return (
    isRecord(value) &&
    typeof value.type === 'string' &&
    Number.isInteger(value.seq) &&
    typeof value.timestamp === 'number'
  );
}
