import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '@agent-mux/core';
import type { Outcome } from '../../model/index.ts';
import { findViolations } from '../oracle/check-session.ts';
import { markerOf } from '../plan/plan-round.ts';
import type { MessagePlan, SessionPlan } from '../plan/round-plan.ts';
import { type ModelScript, scriptModel } from '../plan/script.ts';
import { type DrivenSession, ensureSession, readEvents, readMessages, readRow, sendMessage } from './live-session.ts';
import { followSession } from './reader.ts';
import { countRuns, receivedByDemo, receivedByModel } from './received.ts';
import { waitFor } from './wait.ts';
import { answerOpen, waitUntilSettled } from './wait-until-settled.ts';
import { openWorld, shellCall, type World, type WorldOptions } from './world.ts';

const ANSWER_EVERY_MS = 100;
const TAKEN_WITHIN_MS = 60_000;
const READERS_WITHIN_MS = 15_000;
const RESPONSES_OVER_MS = 5000;

/** A world with sessions in it, automatic answers to their requests, and readers that follow them. */
export interface Stage {
  world: World;
  sessions: readonly DrivenSession[];
  story: string[];
  log(what: string): void;
  /** From now on requests are answered. */
  answerRequests(): void;
  /** Creates a session and queues its messages; two readers follow it through everything. */
  begin(session: DrivenSession): Promise<void>;
  /** All messages have ended; ended sessions are restored. */
  settle(): Promise<void>;
  /** Sends a last message to every session, which needs the history of the conversation. */
  sayLast(): Promise<void>;
  /** Compares, even after failures: the violations are stored in the sessions. */
  evaluate(): Promise<void>;
  /** Processes that had to be killed although none should be left. */
  close(): Promise<string[]>;
}

export async function openStage(plans: readonly SessionPlan[], options: Omit<WorldOptions, 'agents'>): Promise<Stage> {
  const started = performance.now();
  const story: string[] = [];
  const log = (what: string) => void story.push(`${((performance.now() - started) / 1000).toFixed(2)} s ${what}`);
  const all = plans.map(withLastMessage);
  const world = await openWorld({ ...options, agents: [...new Set(all.map(({ agent }) => agent))] });
  const sessions = all.map((plan) => driven(plan, world));
  const script = scriptModel({ sessions: all }, shellCall);
  world.model.setScenario(script.scenario);
  const people = new AbortController();
  let answering: Promise<void> | undefined;
  /** A failure of one does not keep the others from their end. */
  const ofLiving = async (act: (session: DrivenSession) => Promise<void>): Promise<void> => {
    const done = await Promise.allSettled(
      sessions.filter(({ id, unrecoverable }) => id !== '' && unrecoverable === null).map(act),
    );
    const problems = done.flatMap((one) => (one.status === 'rejected' ? [messageOf(one.reason)] : []));
    if (problems.length > 0) throw new Error(problems.join('\n'));
  };
  return {
    ...{ world, sessions, story, log },
    answerRequests: () => {
      answering ??= keepAnswering(world, sessions, people.signal).then((problem) => {
        if (problem) log(`answering has stopped: ${problem}`);
      });
    },
    begin: (session) => begin(world, session, log),
    settle: () => ofLiving((session) => waitUntilSettled(world, session)),
    sayLast: () =>
      ofLiving(async (session) => {
        const { plan } = session;
        if (!(await sendMessage(world, session, plan.messages.at(-1)!)))
          throw new Error(`${plan.name} (${plan.agent}) has ended after all was over`);
        await waitUntilSettled(world, session);
      }),
    evaluate: () => evaluate(world, sessions, script, log),
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
    unrecoverable: null,
  };
}

async function begin(world: World, session: DrivenSession, log: (what: string) => void): Promise<void> {
  await ensureSession(world, session);
  const { id: sessionId, seen, plan } = session;
  log(`${plan.name} is ${sessionId} (${plan.agent})`);
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
      if (session.unrecoverable !== null || (await sendMessage(world, session, message))) return true;
      // It ended in between.
      await waitUntilSettled(world, session);
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

async function evaluate(
  world: World,
  sessions: readonly DrivenSession[],
  script: ModelScript,
  log: (what: string) => void,
): Promise<void> {
  if (!world.daemon) await world.startDaemon();
  const outcomes = await outcomesOf(world, script);
  for (const session of sessions) {
    if (session.id === '') continue;
    const row = await readRow(world, session);
    await waitFor('the readers are there', READERS_WITHIN_MS, () =>
      session.readers.every(({ last }) => last >= row.lastSeq),
    ).catch(() => {});
    const { plan, readers, struck, cwd, unrecoverable } = session;
    const heard =
      plan.agent === 'demo'
        ? receivedByDemo(plan, world.state, row.agentSessionId)
        : receivedByModel(plan, world.model.requests, script.said, outcomes);
    const events = await readEvents(world, session);
    const messages = await readMessages(world, session);
    session.faults.push(
      ...findViolations({
        plan,
        session: row,
        messages,
        events,
        readers,
        heard,
        struck,
        unrecoverable,
        ran: (marker) => countRuns(cwd, marker),
      }),
    );
    if (session.faults.length === 0) continue;
    keepEvidence(world, session, { row, messages, events });
    log(
      `${plan.name}: ${events
        .map(({ type }) => type)
        .filter((type, at, all) => type !== all[at - 1])
        .join(' ')}`,
    );
  }
}

/** For debugging: the API's data, and the requests to the model. */
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
