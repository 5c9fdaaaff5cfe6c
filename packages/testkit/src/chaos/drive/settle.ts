import type { SessionRow } from '../oracle/evidence.ts';
import { ApiError, isUnreachable } from './api.ts';
import { askDaemon, type DrivenSession, type RequestRow, readMessages, readRow } from './live-session.ts';
import { isAlive } from './processes.ts';
import type { Holding, Struck } from './strike.ts';
import { waitFor } from './wait.ts';
import type { World } from './world.ts';

/** A killed keeper's session says what it is after this time at most. */
const HONEST_WITHIN_MS = 5000;
/** Everything that was sent is over by then; the slowest are CLIs that come back one after the other. */
const SETTLED_WITHIN_MS = 90_000;

/** Right after a strike, and with the daemon there: its rows tell the truth, and nothing of a killed keeper's agent is left. */
export async function checkHonesty(world: World, { keepers, agents }: Struck): Promise<void> {
  const ready = performance.now();
  await Promise.all([
    ...keepers.map((holding) => checkLost(world, holding, ready)),
    ...agents.map((holding) => checkCrashed(world, holding, ready)),
  ]);
}

async function checkLost(world: World, { session, keeperPid, family }: Holding, since: number): Promise<void> {
  const complain = (what: string) => (error: unknown) =>
    void session.faults.push(`${session.plan.name} (${session.plan.agent}): ${what}: ${String(error)}`);
  const isHonest = (row: SessionRow) => row.keeperPid !== keeperPid;
  await waitFor('an honest state', HONEST_WITHIN_MS, async () => isHonest(await readRow(world, session))).catch(
    complain('its keeper was killed, and its row still names it'),
  );
  await waitFor('no process left', HONEST_WITHIN_MS, () => !family.some(isAlive)).catch(
    complain('a process of its agent outlives its keeper'),
  );
  session.recoveryMs = Math.max(session.recoveryMs ?? 0, performance.now() - since);
}

async function checkCrashed(world: World, { session, agents, launch }: Holding, since: number): Promise<void> {
  await waitFor('an honest state', HONEST_WITHIN_MS, async () => {
    const row = await readRow(world, session);
    // Told, or told and already brought back by what was queued.
    return (row.isTerminated || row.parked || row.launch > launch) && !agents.some(isAlive);
  }).catch(
    (error) =>
      void session.faults.push(
        `${session.plan.name} (${session.plan.agent}): its agent was killed, and it is not told: ${String(error)}`,
      ),
  );
  session.recoveryMs = Math.max(session.recoveryMs ?? 0, performance.now() - since);
}

/** Brings back what has ended, and resolves when all of its messages have come to an end. */
export async function settleSession(world: World, session: DrivenSession): Promise<void> {
  const { name, agent } = session.plan;
  await waitFor(`${name} (${agent}) is done`, SETTLED_WITHIN_MS, async () => {
    const row = await readRow(world, session);
    if (row.isTerminated) await bringBack(world, session, row);
    if (session.beyond) return true;
    if (row.isTerminated) return false;
    const messages = await readMessages(world, session);
    const isDone = messages.every(({ state }) => state !== 'queued' && state !== 'accepted');
    // A turn that failed is not the end: what comes of it is told next.
    return isDone && row.activity === 'idle' && row.error === null;
  }).catch(async (error) => {
    const row = await readRow(world, session);
    const messages = (await readMessages(world, session)).map(({ id, state }) => `${id} ${state}`);
    throw new Error(
      `${String(error)}; it is ${row.activity} (${row.error?.code ?? 'no error'}), ${messages.join(', ')}, ${row.openRequests} requests open`,
    );
  });
}

async function bringBack(world: World, session: DrivenSession, { error }: SessionRow): Promise<void> {
  const { plan, struck } = session;
  const code = error?.code ?? 'none';
  const expected = struck.has('keeper') ? ['KEEPER_LOST', 'AGENT_CRASH'] : struck.has('agent') ? ['AGENT_CRASH'] : [];
  // Its agent had told an id, and was killed before it kept anything: that it says so is all that can be asked.
  if (session.restores > 0 && code === 'SESSION_NOT_FOUND') session.beyond = code;
  if (session.beyond) return;
  if (!expected.includes(code))
    throw new Error(
      `${plan.name} (${plan.agent}) has ended with ${code} (${error?.message ?? ''}), struck: ${[...struck].join(', ') || 'nothing'}`,
    );
  session.restores += 1;
  if (session.restores > 2) throw new Error(`${plan.name} (${plan.agent}) ends again and again: ${code}`);
  try {
    await askDaemon(world, 'POST', `/sessions/${session.id}/restore`, {});
  } catch (refusal) {
    if (!(refusal instanceof ApiError) || refusal.code !== 'NO_NATIVE_SESSION') throw refusal;
    session.beyond = 'NO_NATIVE_SESSION';
  }
}

/** Answers as it was planned, whatever is open. A daemon that dies meanwhile is asked again; what is answered by then is left. */
export async function answerOpen(world: World, sessions: readonly DrivenSession[]): Promise<void> {
  const { requests } = await askDaemon<{ requests: RequestRow[] }>(world, 'GET', '/requests?state=open');
  for (const request of requests) {
    const session = sessions.find(({ id }) => id === request.sessionId);
    if (!session) continue;
    const decision = decisionFor(session);
    try {
      await askDaemon(world, 'POST', `/requests/${request.id}/answer`, { decision });
    } catch (error) {
      // It was answered before the daemon died, or its process has gone with the request.
      if (
        !(error instanceof ApiError) ||
        isUnreachable(error) ||
        !['REQUEST_CLOSED', 'NOT_FOUND', 'KEEPER_UNREACHABLE'].includes(error.code)
      )
        throw error;
    }
  }
}

/** Each session has one message that asks. */
function decisionFor({ plan }: DrivenSession): 'allow' | 'deny' {
  return plan.messages.find(({ does }) => does === 'ask')?.decision ?? 'deny';
}
