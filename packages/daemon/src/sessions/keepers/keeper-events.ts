import type { SessionEvent } from '@agent-mux/api';
import { messageOf } from '@agent-mux/core';
import { judgeNew } from '../../policy/judge.ts';
import { auditDetailOf } from '../../requests/answer.ts';
import type { Desk, LiveSession } from '../desk.ts';
import { requestKey } from '../ids.ts';
import type { KeeperHandlers, LaunchRef } from '../keeper-link.ts';
import { takeLines } from '../take-events.ts';

/** What is done with all that keepers say. */
export function keeperEvents(desk: Desk): KeeperHandlers {
  return {
    async events(of, lines) {
      const live = currentLaunch(desk, of);
      if (!live) return;
      const events = await takeLines(desk, live, lines);
      await auditOwnAnswers(desk, live, events);
      refuseStranger(live);
      judgeNew(desk, live, events);
      if (events.some(({ type }) => type === 'turn_end')) desk.kick(of.sessionId);
    },
    async ended(of) {
      const live = currentLaunch(desk, of);
      if (!live) return;
      release(desk, live);
      desk.kick(of.sessionId);
    },
    trouble(of, problem) {
      const live = currentLaunch(desk, of);
      if (live) live.trouble = problem;
      desk.log(`${of.sessionId}: ${problem ?? 'its journal can be written again'}`);
    },
    gone(link) {
      desk.keepers.delete(link.key);
      if (!desk.isClosing()) desk.keeperGone(link);
    },
    failed(link, error) {
      desk.log(`keeper ${link.record.pid}: what it told cannot be stored: ${messageOf(error)}`);
      desk.keepers.delete(link.key);
      if (!desk.isClosing()) desk.keeperGone(link);
    },
  };
}

/** Undefined: the fact is about a launch that is over, and changes nothing. */
function currentLaunch(desk: Desk, { sessionId, launch }: LaunchRef): LiveSession | undefined {
  const live = desk.live.get(sessionId);
  return live?.launch === launch ? live : undefined;
}

/** Before the next message could go to it. */
function refuseStranger(live: LiveSession): void {
  const { stranger, nativeId } = live.projector;
  if (stranger === null || live.ending !== null) return;
  live.ending = 'stop';
  const reason = `the agent opened another session (${stranger}) than the one that it was to go on with (${nativeId})`;
  live.link?.order({ type: 'end', sessionId: live.id, how: 'abort', reason }).catch(() => {});
}

/** What a codec, a limit of time or the agent's own settings decided is written down like what a person did. */
async function auditOwnAnswers(
  desk: Desk,
  { id, launch }: LiveSession,
  events: readonly SessionEvent[],
): Promise<void> {
  for (const event of events) {
    if ((event.type !== 'approval_resolved' && event.type !== 'input_resolved') || event.by === 'caller') continue;
    const { by, outcome, timestamp } = event;
    const requestId = requestKey(id, launch, event.requestId);
    const request = await desk.store.getRequest(requestId);
    const detail = { ...(request ? auditDetailOf(request) : { requestId }), outcome };
    await desk.store.appendAudit({ time: timestamp, who: by, action: 'request.resolved', sessionId: id, detail });
  }
}

/** No keeper holds it any more; its rows say what it is now. */
function release(desk: Desk, live: LiveSession): void {
  if (desk.live.get(live.id) === live) desk.live.delete(live.id);
  desk.wakers.wake(live.id);
  for (const id of desk.waitingForRoom) desk.kick(id);
}
