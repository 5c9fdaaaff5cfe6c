import type { SessionRow } from '../oracle/evidence.ts';
import { ApiError, isUnreachable } from './api.ts';
import type { Holding, InjectedFault } from './inject-fault.ts';
import { askDaemon, type DrivenSession, type RequestRow, readMessages, readRow } from './live-session.ts';
import { isAlive } from './processes.ts';
import { waitFor } from './wait.ts';
import type { World } from './world.ts';

/** Maximum time until the session of a killed keeper reports its state. */
const HONEST_WITHIN_MS = 5000;
/** Maximum time until all messages have ended; the slowest are CLIs that restart one after the other. */
const SETTLED_WITHIN_MS = 90_000;

/**
 * Right after a fault, with the daemon running: its rows are correct, and nothing of a killed keeper's agent is left.
 */
export async function checkConsistency(world: World, { keepers, agents }: InjectedFault): Promise<void> {
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
    // Reported, or reported and already restored by a queued message.
    return (row.isTerminated || row.parked || row.launch > launch) && !agents.some(isAlive);
  }).catch(
    (error) =>
      void session.faults.push(
        `${session.plan.name} (${session.plan.agent}): the kill of its agent is not reported: ${String(error)}`,
      ),
  );
  session.recoveryMs = Math.max(session.recoveryMs ?? 0, performance.now() - since);
}

/** Restores ended sessions, and resolves when all messages have ended. */
export async function waitUntilSettled(world: World, session: DrivenSession): Promise<void> {
  const { name, agent } = session.plan;
  await waitFor(`${name} (${agent}) is done`, SETTLED_WITHIN_MS, async () => {
    const row = await readRow(world, session);
    if (row.isTerminated) await bringBack(world, session, row);
    if (session.unrecoverable) return true;
    if (row.isTerminated) return false;
    const messages = await readMessages(world, session);
    const isDone = messages.every(({ state }) => state !== 'queued' && state !== 'accepted');
    // A failed turn is not the end: its consequences are reported next.
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
  // Its agent reported an id and was killed before it stored anything: an error is the only possible result.
  if (session.restores > 0 && code === 'SESSION_NOT_FOUND') session.unrecoverable = code;
  if (session.unrecoverable) return;
  if (!expected.includes(code))
    throw new Error(
      `${plan.name} (${plan.agent}) has ended with ${code} (${error?.message ?? ''}), struck: ${[...struck].join(', ') || 'nothing'}`,
    );
  session.restores += 1;
  if (session.restores > 2) throw new Error(`${plan.name} (${plan.agent}) ends again and again: ${code}`);
  try {
    await askDaemon(world, 'POST', `/sessions/${session.id}/restore`, {});
  } catch (refusal) {
    if (!(refusal instanceof ApiError) || refusal.code !== 'NO_AGENT_SESSION') throw refusal;
    session.unrecoverable = 'NO_AGENT_SESSION';
  }
}

/**
 * Answers every open request as planned. A daemon that dies meanwhile is asked again; answered requests are skipped.
 */
export async function answerOpen(world: World, sessions: readonly DrivenSession[]): Promise<void> {
  const { requests } = await askDaemon<{ requests: RequestRow[] }>(world, 'GET', '/requests?state=open');
  for (const request of requests) {
    const session = sessions.find(({ id }) => id === request.sessionId);
    if (!session) continue;
    const decision = decisionFor(session);
    try {
      await askDaemon(world, 'POST', `/requests/${request.id}/answer`, { decision });
    } catch (error) {
      // It was answered before the daemon died, or its process ended with the request.
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
