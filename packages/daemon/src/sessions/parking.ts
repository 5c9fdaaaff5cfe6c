import type { Session } from '@agent-mux/api';
import { DaemonError } from '../daemon-error.ts';
import { findAdapter } from './agent-facts.ts';
import { canContinue } from './can-continue.ts';
import { type Desk, isOver, type LiveSession } from './desk.ts';

/** How often it is looked for sessions that have been quiet for long. */
const LOOK_EVERY_MS = 5000;

/** A warm process is kept while it is in use, since resuming is not free; after an idle time it goes. Returns what stops that. */
export function startParking(desk: Desk): () => void {
  let timer: NodeJS.Timeout;
  const look = () => {
    const { idleParkMs } = desk.settings;
    for (const live of desk.live.values())
      if (idleParkMs > 0 && mayPark(live) && performance.now() - live.quietSince >= idleParkMs) parkLive(desk, live);
    wait();
  };
  const wait = () => {
    const { idleParkMs } = desk.settings;
    timer = setTimeout(look, idleParkMs === 0 ? LOOK_EVERY_MS : Math.min(LOOK_EVERY_MS, idleParkMs));
    timer.unref();
  };
  wait();
  return () => clearTimeout(timer);
}

/** Ends its process when the running turn is over. */
export function parkLive(desk: Desk, live: LiveSession): void {
  if (live.ending !== null || !live.link) return;
  live.ending = 'park';
  live.link.order({ type: 'end', sessionId: live.id, how: 'park' }).catch((error: unknown) => {
    live.ending = null;
    desk.log(`${live.id}: cannot be parked: ${String(error)}`);
  });
}

/** Where all places are taken, the one that has been idle for longest makes room. */
export async function makeRoom(desk: Desk): Promise<void> {
  const { maxLiveSessions } = desk.settings;
  if (desk.live.size < maxLiveSessions) return;
  const [idlest] = [...desk.live.values()].filter((live) => mayPark(live)).sort((a, b) => a.quietSince - b.quietSince);
  if (!idlest)
    throw new DaemonError('TOO_MANY_SESSIONS', `${maxLiveSessions} sessions are at work, which is all that may be`, {
      hint: 'stop or park one (amux ps), or raise daemon.maxLiveSessions in the configuration file',
    });
  parkLive(desk, idlest);
}

/** Only what the next process would continue, and has nothing going on: no turn, no question, no task of its own. */
function mayPark(live: LiveSession): boolean {
  const { turn, approvals, questions } = live.projector.state;
  if (turn || isOver(live) || live.ending !== null || live.inFlight !== null || live.projector.hasBackgroundWork)
    return false;
  return approvals.length === 0 && questions.length === 0 && canContinue(live.projector);
}

/** A conversation that ends with its process is never parked. While its first turn runs, an agent may still report its session id. */
export function assertParkable(desk: Desk, session: Session, live: LiveSession): void {
  const { conversation, state } = live.projector;
  const mayReportId = conversation === 'resumable' && (state.turn || live.inFlight !== null);
  if (isOver(live) || mayReportId || canContinue(live.projector)) return;
  const name = findAdapter(desk, session)?.displayName ?? session.agent;
  throw new DaemonError(
    'NO_NATIVE_SESSION',
    `session ${session.id} cannot be parked: ${name} could not resume its conversation in another process`,
    { hint: `amux stop ${session.id} ends it` },
  );
}
