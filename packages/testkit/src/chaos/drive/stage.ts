import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '@agent-mux/core';
import type { Outcome } from '../../model/index.ts';
import { findFaults } from '../oracle/check-session.ts';
import { markerOf } from '../plan/plan-round.ts';
import type { MessagePlan, SessionPlan } from '../plan/round-plan.ts';
import { type ModelScript, scriptModel } from '../plan/script.ts';
import { countRuns, heardByDemo, heardByModel } from './heard.ts';
import { type DrivenSession, ensureSession, readEvents, readMessages, readRow, sendMessage } from './live-session.ts';
import { followSession } from './reader.ts';
import { answerOpen, settleSession } from './settle.ts';
import { waitFor } from './wait.ts';
import { openWorld, shellCall, type World, type WorldOptions } from './world.ts';

const ANSWER_EVERY_MS = 100;
const TAKEN_WITHIN_MS = 60_000;
const READERS_WITHIN_MS = 15_000;
const RESPONSES_OVER_MS = 5000;

/** A world with sessions in it, somebody who answers what they ask, and readers who follow them. */
export interface Stage {
  world: World;
  sessions: readonly DrivenSession[];
  story: string[];
  tell(what: string): void;
  /** From now on requests are answered. */
  answerRequests(): void;
  /** Creates a session and queues its messages; two readers follow it through everything. */
  begin(session: DrivenSession): Promise<void>;
  /** All that was sent has come to its end; what ended is brought back. */
  settle(): Promise<void>;
  /** A last message to everybody, for which they must remember what was said before. */
  sayLast(): Promise<void>;
  /** Compares, whatever went wrong before: the faults stand in the sessions. */
  judge(): Promise<void>;
  /** What had to be killed although nothing should have been left. */
  close(): Promise<string[]>;
}

export async function openStage(plans: readonly SessionPlan[], options: Omit<WorldOptions, 'agents'>): Promise<Stage> {
  const started = performance.now();
  const story: string[] = [];
  const tell = (what: string) => void story.push(`${((performance.now() - started) / 1000).toFixed(2)} s ${what}`);
  const all = plans.map(withLastMessage);
  const world = await openWorld({ ...options, agents: [...new Set(all.map(({ agent }) => agent))] });
  const sessions = all.map((plan) => driven(plan, world));
  const script = scriptModel({ sessions: all }, shellCall);
  world.model.setScenario(script.scenario);
  const people = new AbortController();
  let answering: Promise<void> | undefined;
  /** What is wrong with one of them does not keep the others from their end. */
  const ofLiving = async (act: (session: DrivenSession) => Promise<void>): Promise<void> => {
    const done = await Promise.allSettled(sessions.filter(({ id, beyond }) => id !== '' && beyond === null).map(act));
    const problems = done.flatMap((one) => (one.status === 'rejected' ? [messageOf(one.reason)] : []));
    if (problems.length > 0) throw new Error(problems.join('\n'));
  };
  return {
    ...{ world, sessions, story, tell },
    answerRequests: () => {
      answering ??= keepAnswering(world, sessions, people.signal).then((trouble) => {
        if (trouble) tell(`nobody answers any more: ${trouble}`);
      });
    },
    begin: (session) => begin(world, session, tell),
    settle: () => ofLiving((session) => settleSession(world, session)),
    sayLast: () =>
      ofLiving(async (session) => {
        const { plan } = session;
        if (!(await sendMessage(world, session, plan.messages.at(-1)!)))
          throw new Error(`${plan.name} (${plan.agent}) has ended after all was over`);
        await settleSession(world, session);
      }),
    judge: () => judge(world, sessions, script, tell),
    close: async () => {
      people.abort();
      await answering;
      await Promise.all(sessions.flatMap(({ readers }) => readers.map((reader) => reader.stop())));
      return world.close();
    },
  };
}

function withLastMessage(session: SessionPlan): SessionPlan {
  const last: MessagePlan = {
    id: markerOf(session.name, 'last'),
    does: 'speak',
    decision: 'allow',
    pieces: 3,
    delayMs: 0,
  };
  return { ...session, messages: [...session.messages, last] };
}

function driven(plan: SessionPlan, world: World): DrivenSession {
  const seen = { texts: 0, asks: 0, ends: 0 };
  return {
    plan,
    id: '',
    cwd: world.workFolder(plan.name),
    readers: [],
    seen,
    struck: new Set(),
    recoveryMs: null,
    faults: [],
    restores: 0,
    beyond: null,
  };
}

async function begin(world: World, session: DrivenSession, tell: (what: string) => void): Promise<void> {
  await ensureSession(world, session);
  const { id: sessionId, seen, plan } = session;
  tell(`${plan.name} is ${sessionId} (${plan.agent})`);
  const address = () => world.daemon;
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
    await waitFor('a message is taken', TAKEN_WITHIN_MS, async () => {
      if (session.beyond !== null || (await sendMessage(world, session, message))) return true;
      // It has ended between two of them.
      await settleSession(world, session);
      return false;
    });
  }
}

async function keepAnswering(
  world: World,
  sessions: readonly DrivenSession[],
  signal: AbortSignal,
): Promise<string | undefined> {
  while (!signal.aborted) {
    try {
      if (world.daemon) await answerOpen(world, sessions);
    } catch (error) {
      return messageOf(error);
    }
    await sleep(ANSWER_EVERY_MS, undefined, { signal }).catch(() => {});
  }
  return undefined;
}

async function judge(
  world: World,
  sessions: readonly DrivenSession[],
  script: ModelScript,
  tell: (what: string) => void,
): Promise<void> {
  if (!world.daemon) await world.startDaemon();
  const outcomes = await outcomesOf(world, script);
  for (const session of sessions) {
    if (session.id === '') continue;
    const row = await readRow(world, session);
    await waitFor('the readers are there', READERS_WITHIN_MS, () =>
      session.readers.every(({ last }) => last >= row.lastSeq),
    ).catch(() => {});
    const { plan, readers, struck, cwd, beyond } = session;
    const heard =
      plan.agent === 'demo'
        ? heardByDemo(plan, world.state, row.nativeId)
        : heardByModel(plan, world.model.requests, script.said, outcomes);
    const events = await readEvents(world, session);
    const messages = await readMessages(world, session);
    session.faults.push(
      ...findFaults({
        plan,
        session: row,
        messages,
        events,
        readers,
        heard,
        struck,
        beyond,
        ran: (marker) => countRuns(cwd, marker),
      }),
    );
    if (session.faults.length === 0) continue;
    keepEvidence(world, session, { row, messages, events });
    tell(
      `${plan.name}: ${events
        .map(({ type }) => type)
        .filter((type, at, all) => type !== all[at - 1])
        .join(' ')}`,
    );
  }
}

/** For whoever looks for the reason: what the API gave, and what the model was asked. */
function keepEvidence({ folder, model }: World, { plan }: DrivenSession, evidence: object): void {
  writeFileSync(join(folder, `${plan.name}.json`), JSON.stringify({ plan, ...evidence }, null, 1));
  writeFileSync(join(folder, 'model-requests.json'), JSON.stringify(model.requests, null, 1));
}

async function outcomesOf({ model }: World, { said }: ModelScript): Promise<Map<number, Outcome>> {
  const outcomes = new Map<number, Outcome>();
  await Promise.all(
    said.map(async ({ index }) => {
      const outcome = await Promise.race([
        model.outcome(model.requests[index]!),
        sleep(RESPONSES_OVER_MS, undefined, { ref: false }),
      ]);
      if (outcome) outcomes.set(index, outcome);
    }),
  );
  return outcomes;
}
