import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '@agent-mux/core';
import type { RoundPlan } from '../plan/round-plan.ts';
import type { RoundOutcome } from '../report.ts';
import { checkHonesty } from './settle.ts';
import { openStage, type Stage } from './stage.ts';
import { awaitMoment, findHoldings, findReplaced, type Holding, type Struck, strike } from './strike.ts';
import type { WorldOptions } from './world.ts';

/** One round: a world is made, sessions work in it, processes are killed, and in the end the oracle compares. */
export async function runRound(plan: RoundPlan, options: Omit<WorldOptions, 'agents'>): Promise<RoundOutcome> {
  const started = performance.now();
  const stage = await openStage(plan.sessions, options);
  const faults: string[] = [];
  const note = (error: unknown) => void faults.push(messageOf(error));
  await playRound(stage, plan).catch(note);
  await stage.judge().catch(note);
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
  stage.tell(`the daemon is ready after ${readyMs.toFixed(0)} ms`);
  // What is to be asked while somebody is dead must not be answered before.
  if (!plan.strikes.some(({ at }) => at.when === 'asking')) stage.answerRequests();
  const begun = Promise.all(stage.sessions.map((session) => stage.begin(session)));
  // Whoever waits for one of them hears of it there.
  begun.catch(() => {});
  const untouched: Holding[] = [];
  for (const one of plan.strikes) {
    untouched.push(...(await strikeOnce(stage, one)));
    stage.answerRequests();
  }
  await begun;
  await stage.settle();
  stage.tell('all messages are over');
  const replaced = findReplaced(untouched);
  if (replaced.length > 0) throw new Error(replaced.join('\n'));
  await stage.sayLast();
  stage.tell('and what was said last');
}

/** Those whose processes must be the same after all of it. */
async function strikeOnce(
  { world, sessions, tell }: Stage,
  one: RoundPlan['strikes'][number],
): Promise<readonly Holding[]> {
  const session = sessions.find(({ plan: { name } }) => name === one.at.session)!;
  await awaitMoment(one.at, session);
  const struck = strike(world, one, await findHoldings(world, sessions));
  tell(describe(struck, one.at));
  for (const { session: hit } of struck.keepers) hit.struck.add('keeper');
  for (const { session: hit } of struck.agents) hit.struck.add('agent');
  if (struck.daemon) {
    await sleep(one.downMs);
    const { readyMs } = await world.startDaemon(one.back);
    const backMs = performance.now() - struck.at - one.downMs;
    tell(`the daemon is ready again after ${readyMs.toFixed(0)} ms (${one.back})`);
    for (const hit of sessions) hit.recoveryMs = Math.max(hit.recoveryMs ?? 0, backMs);
  }
  await checkHonesty(world, struck);
  tell('what was killed is told');
  return struck.untouched;
}

function describe({ daemon, keepers, agents }: Struck, at: { session: string; when: string }): string {
  const names = (list: readonly Holding[]) => list.map(({ session }) => session.plan.name).join(', ');
  const parts = [
    daemon ? 'the daemon' : '',
    keepers.length > 0 ? `keepers of ${names(keepers)}` : '',
    agents.length > 0 ? `agents of ${names(agents)}` : '',
  ];
  return `killed ${parts.filter(Boolean).join(', ') || 'nobody: there was nothing to kill'} (${at.session} ${at.when})`;
}
