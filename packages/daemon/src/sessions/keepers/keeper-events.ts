import type { SessionEvent } from '@agent-mux/api';
import { messageOf } from '@agent-mux/core';
import { evaluateNew } from '../../policy/evaluate.ts';
import { auditDetailOf } from '../../requests/answer.ts';
import type { DaemonContext, LiveSession } from '../daemon-context.ts';
import { requestKey } from '../ids.ts';
import { ingestLines } from '../ingest-events.ts';
import type { KeeperHandlers, LaunchRef } from '../keeper-link.ts';

/** Handles the reports of keepers. */
export function keeperEvents(ctx: DaemonContext): KeeperHandlers {
  return {
    async events(of, lines) {
      const live = currentLaunch(ctx, of);
      if (!live) return;
      const events = await ingestLines(ctx, live, lines);
      await auditAutomaticAnswers(ctx, live, events);
      endIfDifferentSession(live);
      evaluateNew(ctx, live, events);
      if (events.some(({ type }) => type === 'turn_end')) ctx.scheduleDelivery(of.sessionId);
    },
    async ended(of) {
      const live = currentLaunch(ctx, of);
      if (!live) return;
      release(ctx, live);
      ctx.scheduleDelivery(of.sessionId);
    },
    storageError(of, problem) {
      const live = currentLaunch(ctx, of);
      if (live) live.storageError = problem;
      ctx.log(`${of.sessionId}: ${problem ?? 'the journal is writable again'}`);
    },
    gone(link) {
      ctx.keepers.delete(link.key);
      if (!ctx.isClosing()) ctx.onKeeperLost(link);
    },
    failed(link, error) {
      ctx.log(`keeper ${link.record.pid}: cannot store its events: ${messageOf(error)}`);
      ctx.keepers.delete(link.key);
      if (!ctx.isClosing()) ctx.onKeeperLost(link);
    },
  };
}

/** Undefined if the launch is not the current one; then its report is ignored. */
function currentLaunch(ctx: DaemonContext, { sessionId, launch }: LaunchRef): LiveSession | undefined {
  const live = ctx.live.get(sessionId);
  return live?.launch === launch ? live : undefined;
}

/** Ends a launch that opened another conversation, before the next message could be sent to it. */
function endIfDifferentSession(live: LiveSession): void {
  const { unexpectedSessionId, agentSessionId } = live.projector;
  if (unexpectedSessionId === null || live.ending !== null) return;
  live.ending = 'stop';
  const reason = `the agent opened session ${unexpectedSessionId} instead of resuming ${agentSessionId}`;
  live.link?.request({ type: 'end', sessionId: live.id, how: 'abort', reason }).catch(() => {});
}

/** Writes decisions of a codec, a timeout or the agent's settings to the audit log, like those of a person. */
async function auditAutomaticAnswers(
  ctx: DaemonContext,
  { id, launch }: LiveSession,
  events: readonly SessionEvent[],
): Promise<void> {
  for (const event of events) {
    if ((event.type !== 'approval_resolved' && event.type !== 'input_resolved') || event.by === 'caller') continue;
    const { by, outcome, timestamp } = event;
    const requestId = requestKey(id, launch, event.requestId);
    const request = await ctx.store.getRequest(requestId);
    const detail = { ...(request ? auditDetailOf(request) : { requestId }), outcome };
    await ctx.store.appendAudit({ timestamp: timestamp, actor: by, action: 'request.resolved', sessionId: id, detail });
  }
}

/** No keeper holds the session any more; its rows have its final state. */
function release(ctx: DaemonContext, live: LiveSession): void {
  if (ctx.live.get(live.id) === live) ctx.live.delete(live.id);
  ctx.signals.notify(live.id);
  for (const id of ctx.waitingForSlot) ctx.scheduleDelivery(id);
}
