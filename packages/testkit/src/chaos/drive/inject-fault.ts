import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultInjection, Moment } from '../plan/round-plan.ts';
import type { DrivenSession } from './live-session.ts';
import { readRow } from './live-session.ts';
import { agentsOf, isAlive, kill, processesOf, type Seen } from './processes.ts';
import { waitFor } from './wait.ts';
import type { World } from './world.ts';

/** An agent that merges its output may never reach the planned moment; then any other counts. */
const MOMENT_LIMIT_MS = 20_000;

export async function awaitMoment({ when, count, jitterMs }: Moment, session: DrivenSession): Promise<void> {
  const { seen, plan } = session;
  // The last message is sent later.
  const isOver = () => seen.ends >= plan.messages.length - 1;
  const reached = {
    created: () => session.id !== '',
    streaming: () => seen.texts >= count,
    asking: () => seen.asks > 0,
    'turn-end': () => seen.ends > 0,
  }[when];
  await waitFor('its moment', MOMENT_LIMIT_MS, () => reached() || isOver()).catch(() => {});
  await sleep(jitterMs);
}

/** Known processes of a session at the moment of a fault. */
export interface Holding {
  session: DrivenSession;
  keeperPid: number | null;
  launch: number;
  agents: readonly Seen[];
  /** Everything below the keeper, whichever process started it. */
  family: readonly Seen[];
}

/** The rows name the keepers; the process table has the rest. */
export async function findHoldings(world: World, sessions: readonly DrivenSession[]): Promise<Holding[]> {
  const there = sessions.filter(({ id }) => id !== '');
  const rows = await Promise.all(there.map((session) => readRow(world, session)));
  const all = processesOf(world.home);
  return there.map((session, at) => {
    const { keeperPid, launch } = rows[at]!;
    const held = keeperPid !== null && all.some(({ pid }) => pid === keeperPid) ? keeperPid : null;
    return {
      session,
      launch,
      keeperPid: held,
      agents: held === null ? [] : agentsOf(held, all),
      family: held === null ? [] : familyOf(held, all),
    };
  });
}

function familyOf(keeper: number, all: readonly Seen[]): Seen[] {
  const below = all.filter(({ parent, runId }) => parent === keeper && runId !== undefined);
  const runs = new Set(below.map(({ runId }) => runId));
  return all.filter(({ runId }) => runId !== undefined && runs.has(runId));
}

export interface InjectedFault {
  at: number;
  daemon: boolean;
  /** Sessions whose keeper or agent was killed. A keeper may hold several sessions. */
  keepers: readonly Holding[];
  agents: readonly Holding[];
  untouched: readonly Holding[];
}

/** All of it at one moment, with SIGKILL. */
export function injectFault(world: World, { victims }: FaultInjection, holdings: readonly Holding[]): InjectedFault {
  const pids = (type: 'keeper' | 'agent') =>
    victims.flatMap((victim) => {
      const holding =
        victim.type === type ? holdings.find(({ session }) => session.plan.name === victim.session) : undefined;
      if (!holding || holding.keeperPid === null) return [];
      return type === 'keeper' ? [holding.keeperPid] : holding.agents.map(({ pid }) => pid);
    });
  const keepers = new Set(pids('keeper'));
  const agents = new Set(pids('agent'));
  const { daemon } = world;
  const hitsDaemon = victims.some(({ type }) => type === 'daemon') && daemon !== undefined;
  if (hitsDaemon) world.daemon = undefined;
  const at = performance.now();
  if (hitsDaemon) kill(daemon.pid);
  for (const pid of [...keepers, ...agents]) kill(pid);
  const isIn = (set: ReadonlySet<number>, holding: Holding) => holding.agents.some(({ pid }) => set.has(pid));
  const lost = holdings.filter(({ keeperPid }) => keeperPid !== null && keepers.has(keeperPid));
  const crashed = holdings.filter((holding) => !lost.includes(holding) && isIn(agents, holding));
  return {
    at,
    daemon: hitsDaemon,
    keepers: lost,
    agents: crashed,
    untouched: holdings.filter((one) => !lost.includes(one) && !crashed.includes(one)),
  };
}

/** Agents of untouched sessions are the same processes as before. */
export function findReplaced(untouched: readonly Holding[]): string[] {
  return untouched.flatMap(({ session, agents, keeperPid }) => {
    if (session.struck.size > 0 || keeperPid === null) return [];
    const gone = agents.filter((agent) => !isAlive(agent));
    return gone.map(
      ({ pid, command }) =>
        `${session.plan.name} (${session.plan.agent}): process ${pid} is gone, although it was not killed: ${command}`,
    );
  });
}
