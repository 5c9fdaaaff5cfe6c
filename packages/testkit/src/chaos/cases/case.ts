import { openStage, type Stage } from '../drive/stage.ts';
import type { WorldOptions } from '../drive/world.ts';
import { markerOf } from '../plan/plan-round.ts';
import type { MessagePlan, SessionPlan } from '../plan/round-plan.ts';

export type CaseOptions = Omit<WorldOptions, 'agents'>;

/** A failure other than a kill; each in its own world. Throws what does not hold, or returns a remark. */
export interface ChaosCase {
  id: string;
  title: string;
  /** The real agents that it needs. */
  agents?: readonly string[];
  run(options: CaseOptions): Promise<string | undefined>;
}

/** This many sessions of cheap agents, each with some text, a command and some more text. */
export function plainSessions(
  count: number,
  { pieces = 20, delayMs = 50, agent }: { pieces?: number; delayMs?: number; agent?: string } = {},
): SessionPlan[] {
  return Array.from({ length: count }, (_, at) => {
    const name = `s${at}`;
    const message = (index: number, does: MessagePlan['does']): MessagePlan => ({
      id: markerOf(name, index),
      does,
      decision: 'allow',
      pieces,
      delayMs,
    });
    return {
      name,
      agent: agent ?? (at % 2 === 0 ? 'scripted' : 'demo'),
      messages: [message(0, 'speak'), message(1, 'ask'), message(2, 'speak')],
    };
  });
}

/** Runs a case on a stage: leftovers and violations at the end fail it too. */
export async function onStage(
  sessions: readonly SessionPlan[],
  options: CaseOptions,
  play: (stage: Stage) => Promise<unknown>,
): Promise<string | undefined> {
  const stage = await openStage(sessions, options);
  const faults: string[] = [];
  let remark: string | undefined;
  const note = (error: unknown) => void faults.push(error instanceof Error ? error.message : String(error));
  stage.answerRequests();
  try {
    const said = await play(stage);
    if (typeof said === 'string') remark = said;
  } catch (error) {
    note(error);
  }
  await stage.evaluate().catch(note);
  faults.push(...stage.sessions.flatMap((session) => session.faults));
  faults.push(...(await stage.close()).map((command) => `left behind: ${command}`));
  if (faults.length > 0) throw new Error([...faults, ...stage.story].join('\n'));
  return remark;
}

/** Starts all sessions, and resolves when each has produced output. */
export async function beginAll(stage: Stage): Promise<void> {
  await Promise.all(stage.sessions.map((session) => stage.begin(session)));
}

/** Runs to the end, with a last message of every session. */
export async function finish(stage: Stage): Promise<void> {
  await stage.settle();
  await stage.sayLast();
}
