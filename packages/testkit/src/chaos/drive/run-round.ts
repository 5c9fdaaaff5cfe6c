import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '@agent-mux/core';
import type { RoundPlan } from '../plan/round-plan.ts';
import type { RoundOutcome } from '../report.ts';
import {
  awaitMoment,
  findHoldings,
  findReplaced,
  type Holding,
  type InjectedFault,
  injectFault,
} from './inject-fault.ts';
import { openStage, type Stage } from './stage.ts';
import { checkConsistency } from './wait-until-settled.ts';
import type { WorldOptions } from './world.ts';

/** One round: creates a world, runs sessions in it, kills processes, and compares the results at the end. */
export async function runRound(plan: RoundPlan, options: Omit<WorldOptions, 'agents'>): Promise<RoundOutcome> {
  const started = performance.now();
  const stage = await openStage(plan.sessions, options);
  const faults: string[] = [];
  const note = (error: unknown) => void faults.push(messageOf(error));
  await playRound(stage, plan).catch(note);
  await stage.evaluate().catch(note);
  faults.push(...(await stage.close()).map((command) => `left behind: ${command}`));
  return {
    ...{
      seed: plan.seed,
      kind: plan.kind,
      faults,
      story: stage.story,
      folder: options.folder,
      ms: performance.now() - started,
    },
    sessions: stage.sessions.map(({ plan: { agent }, faults, recoveryMs }) => ({ agent, faults, recoveryMs })),
  };
}

async function playRound(stage: Stage, plan: RoundPlan): Promise<void> {
  const { readyMs } = await stage.world.startDaemon();
  stage.log(`the daemon is ready after ${readyMs.toFixed(0)} ms`);
  // Requests planned for a dead process must not be answered before.
  if (!plan.strikes.some(({ at }) => at.when === 'asking')) stage.answerRequests();
  const started = Promise.all(stage.sessions.map((session) => stage.begin(session)));
  // Awaited again below, which reports the error.
  started.catch(() => {});
  const untouched: Holding[] = [];
  for (const one of plan.strikes) {
    untouched.push(...(await strikeOnce(stage, one)));
    stage.answerRequests();
  }
  await started;
  await stage.settle();
  stage.log('all messages have ended');
  const replaced = findReplaced(untouched);
  if (replaced.length > 0) throw new Error(replaced.join('\n'));
  await stage.sayLast();
  stage.log('the last messages have ended');
}

/** Sessions whose processes must survive the round. */
async function strikeOnce(
  { world, sessions, log }: Stage,
  one: RoundPlan['strikes'][number],
): Promise<readonly Holding[]> {
  const session = sessions.find(({ plan: { name } }) => name === one.at.session)!;
  await awaitMoment(one.at, session);
  const struck = injectFault(world, one, await findHoldings(world, sessions));
  log(describe(struck, one.at));
  for (const { session: hit } of struck.keepers) hit.struck.add('keeper');
  for (const { session: hit } of struck.agents) hit.struck.add('agent');
  if (struck.daemon) {
    await sleep(one.downMs);
    const { readyMs } = await world.startDaemon(one.back);
    const backMs = performance.now() - struck.at - one.downMs;
    log(`the daemon is ready again after ${readyMs.toFixed(0)} ms (${one.back})`);
    for (const hit of sessions) hit.recoveryMs = Math.max(hit.recoveryMs ?? 0, backMs);
  }
  await checkConsistency(world, struck);
  log('the kills are reported');
  return struck.untouched;
}

function describe({ daemon, keepers, agents }: InjectedFault, at: { session: string; when: string }): string {
  const names = (list: readonly Holding[]) => list.map(({ session }) => session.plan.name).join(', ');
  const parts = [
    daemon ? 'the daemon' : '',
    keepers.length > 0 ? `keepers of ${names(keepers)}` : '',
    agents.length > 0 ? `agents of ${names(agents)}` : '',
  ];
  return `killed ${parts.filter(Boolean).join(', ') || 'nothing: no process was running'} (${at.session} ${at.when})`;
}
