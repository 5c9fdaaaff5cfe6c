import type { Session } from '@agent-mux/api';
import { DaemonError } from '../daemon-error.ts';
import { findAdapter } from './agent-facts.ts';
import { canContinue } from './can-continue.ts';
import { type DaemonContext, isOver, type LiveSession } from './daemon-context.ts';

/** Interval of the check for idle sessions. */
const CHECK_EVERY_MS = 5000;

/**
 * Parks idle sessions: a warm process is kept for a while, since resuming is not free. Returns a function that stops
 * it.
 */
export function startParking(ctx: DaemonContext): () => void {
  let timer: NodeJS.Timeout;
  const check = () => {
    const { parkAfterMs } = ctx.settings;
    for (const live of ctx.live.values())
      if (parkAfterMs > 0 && mayPark(live) && performance.now() - live.quietSince >= parkAfterMs) parkLive(ctx, live);
    wait();
  };
  const wait = () => {
    const { parkAfterMs } = ctx.settings;
    timer = setTimeout(check, parkAfterMs === 0 ? CHECK_EVERY_MS : Math.min(CHECK_EVERY_MS, parkAfterMs));
    timer.unref();
  };
  wait();
  return () => clearTimeout(timer);
}

/** Ends the process when the running turn is over. */
export function parkLive(ctx: DaemonContext, live: LiveSession): void {
  if (live.ending !== null || !live.link) return;
  live.ending = 'park';
  live.link.request({ type: 'end', sessionId: live.id, how: 'park' }).catch((error: unknown) => {
    live.ending = null;
    ctx.log(`${live.id}: cannot be parked: ${String(error)}`);
  });
}

/** If the limit of running sessions is reached, parks the one that has been idle the longest. */
export async function freeSlot(ctx: DaemonContext): Promise<void> {
  const { maxLiveSessions } = ctx.settings;
  if (ctx.live.size < maxLiveSessions) return;
  const [idlest] = [...ctx.live.values()].filter((live) => mayPark(live)).sort((a, b) => a.quietSince - b.quietSince);
  if (!idlest)
    throw new DaemonError('TOO_MANY_SESSIONS', `the limit of ${maxLiveSessions} running sessions is reached`, {
      hint: 'stop or park a session (see "amux ps"), or raise daemon.maxLiveSessions',
    });
  parkLive(ctx, idlest);
}

/** Only sessions that the next process can continue and that are idle: no turn, no open request, no background task. */
function mayPark(live: LiveSession): boolean {
  const { turn, approvals, questions } = live.projector.state;
  if (turn || isOver(live) || live.ending !== null || live.inFlight !== null || live.projector.hasBackgroundWork)
    return false;
  return approvals.length === 0 && questions.length === 0 && canContinue(live.projector);
}

/**
 * A conversation that ends with its process is never parked. While its first turn runs, an agent may still report its
 * session id.
 */
export function assertParkable(ctx: DaemonContext, session: Session, live: LiveSession): void {
  const { conversation, state } = live.projector;
  const mayReportId = conversation === 'resumable' && (state.turn || live.inFlight !== null);
  if (isOver(live) || mayReportId || canContinue(live.projector)) return;
  const name = findAdapter(ctx, session)?.displayName ?? session.agent;
  throw new DaemonError(
    'NO_AGENT_SESSION',
    `session ${session.id} cannot be parked: ${name} could not resume its conversation in another process`,
    { hint: `run "amux stop ${session.id}" to end it` },
  );
}
