import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '@agent-mux/core';
import type { Outcome } from '../../model/index.ts';
import { findFaults } from '../oracle/check-session.ts';
import { markerOf } from '../plan/plan-round.ts';
import type { MessagePlan, RoundPlan, SessionPlan } from '../plan/round-plan.ts';
import { type ModelScript, scriptModel } from '../plan/script.ts';
import type { RoundOutcome } from '../report.ts';
import { countRuns, heardByDemo, heardByModel } from './heard.ts';
import { askDaemon, type DrivenSession, ensureSession, readEvents, readMessages, readRow, sendMessage } from './live-session.ts';
import { followSession } from './reader.ts';
import { answerOpen, checkHonesty, settleSession } from './settle.ts';
import { awaitMoment, findHoldings, findReplaced, type Holding, strike, type Struck } from './strike.ts';
import { waitFor } from './wait.ts';
import { openWorld, shellCall, type World, type WorldOptions } from './world.ts';

const ANSWER_EVERY_MS = 100;
const TAKEN_WITHIN_MS = 60_000;
const READERS_WITHIN_MS = 15_000;
const RESPONSES_OVER_MS = 5000;

/** One round: a world is made, sessions work in it, processes are killed, and in the end the oracle compares. */
export async function runRound(given: RoundPlan, options: Omit<WorldOptions, 'agents'>): Promise<RoundOutcome> {
  const started = performance.now();
  const plan = { ...given, sessions: given.sessions.map(withLastMessage) };
  const story: string[] = [];
  const tell = (what: string) => void story.push(`${((performance.now() - started) / 1000).toFixed(2)} s ${what}`);
  const faults: string[] = [];
  const world = await openWorld({ ...options, agents: [...new Set(plan.sessions.map(({ agent }) => agent))] });
  const sessions = plan.sessions.map((session): DrivenSession => driven(session, world));
  try {
    await playRound(world, plan, sessions, tell);
  } catch (error) {
    faults.push(messageOf(error));
  }
  await Promise.all(sessions.flatMap(({ readers }) => readers.map((reader) => reader.stop())));
  const left = await world.close();
  faults.push(...left.map((command) => `left behind: ${command}`));
  return {
    ...{ seed: plan.seed, kind: plan.kind, faults, story, folder: options.folder, ms: performance.now() - started },
    sessions: sessions.map((session) => ({ agent: session.plan.agent, faults: session.faults, recoveryMs: session.recoveryMs })),
  };
}

/** Sent when all is over: whoever answers it must remember what was said before. */
function withLastMessage(session: SessionPlan): SessionPlan {
  const last: MessagePlan = { id: markerOf(session.name, 'last'), does: 'speak', decision: 'allow', pieces: 3, delayMs: 0 };
  return { ...session, messages: [...session.messages, last] };
}

function driven(plan: SessionPlan, world: World): DrivenSession {
  const seen = { texts: 0, asks: 0, ends: 0 };
  return { plan, id: '', cwd: world.workFolder(plan.name), readers: [], seen, struck: new Set(), recoveryMs: null, faults: [], restores: 0, isBeyond: false };
}

async function playRound(world: World, plan: RoundPlan, sessions: DrivenSession[], tell: (what: string) => void): Promise<void> {
  const script = scriptModel(plan, shellCall);
  world.model.setScenario(script.scenario);
  const { readyMs } = await world.startDaemon();
  tell(`the daemon is ready after ${readyMs.toFixed(0)} ms`);
  // What is to be asked while somebody is dead must not be answered before.
  const holdsBack = plan.strikes.some(({ at }) => at.when === 'asking');
  const people = new AbortController();
  let mayAnswer = !holdsBack;
  const answering = keepAnswering(world, sessions, () => mayAnswer, people.signal);
  try {
    const begun = Promise.all(sessions.map((session) => begin(world, session, tell)));
    // Whoever waits for one of them hears of it there.
    begun.catch(() => {});
    const untouched = await strikeAll(world, plan, sessions, tell, () => {
      mayAnswer = true;
    });
    await begun;
    await Promise.all(sessions.map((session) => settleSession(world, session)));
    tell('all messages are over');
    const replaced = findReplaced(untouched);
    if (replaced.length > 0) throw new Error(replaced.join('\n'));
    await Promise.all(
      sessions.map(async (session) => {
        if (session.isBeyond) return;
        if (!(await sendMessage(world, session, session.plan.messages.at(-1)!))) throw new Error(`${session.plan.name} (${session.plan.agent}) has ended after all was over`);
        await settleSession(world, session);
      }),
    );
    tell('and what was said last');
  } finally {
    people.abort();
    const trouble = await answering;
    if (trouble) tell(`nobody answers any more: ${trouble}`);
    await judge(world, sessions, script, tell);
  }
}

async function begin(world: World, session: DrivenSession, tell: (what: string) => void): Promise<void> {
  await ensureSession(world, session);
  tell(`${session.plan.name} is ${session.id} (${session.plan.agent})`);
  const address = () => world.daemon;
  const { id: sessionId, seen, plan } = session;
  session.readers.push(
    followSession({
      ...{ name: 'steady', sessionId, address },
      onEvent: ({ type }) => {
        if (type === 'text_delta') seen.texts += 1;
        if (type === 'approval_request') seen.asks += 1;
        if (type === 'turn_end') seen.ends += 1;
      },
    }),
    followSession({ name: 'fickle', sessionId, address, hangUpAfter: 7, byHeader: true }),
  );
  for (const message of plan.messages.slice(1, -1)) {
    // It has ended between two of them; then the rest is sent when it is back.
    await waitFor('a message is taken', TAKEN_WITHIN_MS, async () => session.isBeyond || (await sendMessage(world, session, message)));
  }
}

/** Those whose processes must be the same after all of it. */
async function strikeAll(world: World, plan: RoundPlan, sessions: DrivenSession[], tell: (what: string) => void, onFirst: () => void): Promise<Holding[]> {
  let untouched: Holding[] = [];
  for (const one of plan.strikes) {
    const session = sessions.find(({ plan: { name } }) => name === one.at.session)!;
    await awaitMoment(one.at, session);
    const holdings = await findHoldings(world, sessions);
    const struck = strike(world, one, holdings);
    tell(describe(struck, one.at));
    for (const { session: hit } of struck.keepers) hit.struck.add('keeper');
    for (const { session: hit } of struck.agents) hit.struck.add('agent');
    if (struck.daemon) {
      await sleep(one.downMs);
      const { readyMs } = await world.startDaemon();
      const backMs = performance.now() - struck.at - one.downMs;
      tell(`the daemon is ready again after ${readyMs.toFixed(0)} ms`);
      for (const hit of sessions) hit.recoveryMs = Math.max(hit.recoveryMs ?? 0, backMs);
    }
    await checkHonesty(world, struck);
    tell('what was killed is told');
    untouched = [...untouched, ...struck.untouched];
    onFirst();
  }
  return untouched;
}

function describe({ daemon, keepers, agents }: Struck, at: { session: string; when: string }): string {
  const names = (list: readonly Holding[]) => list.map(({ session }) => session.plan.name).join(', ');
  const parts = [daemon ? 'the daemon' : '', keepers.length > 0 ? `keepers of ${names(keepers)}` : '', agents.length > 0 ? `agents of ${names(agents)}` : ''];
  return `killed ${parts.filter(Boolean).join(', ') || 'nobody: there was nothing to kill'} (${at.session} ${at.when})`;
}

async function keepAnswering(world: World, sessions: readonly DrivenSession[], may: () => boolean, signal: AbortSignal): Promise<string | undefined> {
  while (!signal.aborted) {
    try {
      if (may() && world.daemon) await answerOpen(world, sessions);
    } catch (error) {
      return messageOf(error);
    }
    await sleep(ANSWER_EVERY_MS, undefined, { signal }).catch(() => {});
  }
  return undefined;
}

/** Whatever went wrong before: what is there is looked at. */
async function judge(world: World, sessions: readonly DrivenSession[], script: ModelScript, tell: (what: string) => void): Promise<void> {
  if (!world.daemon) await world.startDaemon();
  const outcomes = await outcomesOf(world, script);
  for (const session of sessions) {
    if (session.id === '') continue;
    const row = await readRow(world, session);
    await waitFor('the readers are there', READERS_WITHIN_MS, () => session.readers.every(({ last }) => last >= row.lastSeq)).catch(() => {});
    const { plan, readers, struck, cwd, isBeyond } = session;
    const heard = plan.agent === 'demo' ? heardByDemo(plan, world.state, row.nativeId) : heardByModel(plan, world.model.requests, script.said, outcomes);
    const events = await readEvents(world, session);
    const messages = await readMessages(world, session);
    session.faults.push(...findFaults({ plan, session: row, messages, events, readers, heard, struck, isBeyond, ran: (marker) => countRuns(cwd, marker) }));
    if (session.faults.length > 0) keepEvidence(world, session, { row, messages, events });
    if (session.faults.length > 0) tell(`${plan.name}: ${events.map(({ type }) => type).filter((type, at, all) => type !== all[at - 1]).join(' ')}`);
  }
  await askDaemon(world, 'GET', '/health');
}

/** For whoever looks for the reason: what the API gave, and what the model was asked. */
function keepEvidence({ folder, model }: World, { plan }: DrivenSession, evidence: object): void {
  writeFileSync(join(folder, `${plan.name}.json`), JSON.stringify({ plan, ...evidence }, null, 1));
  writeFileSync(join(folder, 'model-requests.json'), JSON.stringify(model.requests, null, 1));
}

async function outcomesOf(world: World, { said }: ModelScript): Promise<Map<number, Outcome>> {
  const outcomes = new Map<number, Outcome>();
  await Promise.all(
    said.map(async ({ index }) => {
      const request = world.model.requests[index]!;
      const outcome = await Promise.race([world.model.outcome(request), sleep(RESPONSES_OVER_MS, undefined, { ref: false })]);
      if (outcome) outcomes.set(index, outcome);
    }),
  );
  return outcomes;
}
