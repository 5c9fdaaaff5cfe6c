import type { ActivityReport, Session } from '@agent-mux/api';
import { redactSecrets, secretsOf } from '@agent-mux/core';
import { changeBy, type HookWeight, SUMMARY_CHARS } from '../activity/hook-change.ts';
import { addFact, type HookFact, type HookMemory, NOTHING_HEARD, withoutFuture } from '../activity/hook-memory.ts';
import { titleOf } from '../activity/last-line.ts';
import { DaemonError } from '../daemon-error.ts';
import { type Desk, tellChange } from '../sessions/desk.ts';
import { findSession } from '../sessions/find.ts';
import { createMessageId } from '../sessions/ids.ts';
import { HOOKS, lookAtProcess, readMemory } from './hook-records.ts';

/** More of a title or summary is not searched for secrets, and not used. */
const READ_CHARS = 4000;

/** Called with every session that another process runs, and what is known of it. */
type Follow = (session: Session, memory: HookMemory) => void;

/** A hook's report over HTTP. It names its session itself; all else is as for a report from the spool. */
export async function reportActivity(
  desk: Desk,
  id: string,
  report: ActivityReport,
  follow: Follow = () => {},
): Promise<Session> {
  const found = await findSession(desk, id);
  return desk.serial.run(found.id, async () => {
    const session = await findSession(desk, found.id);
    const { agentSessionId, deliveryId = createMessageId() } = report;
    if (session.nativeId !== null && agentSessionId !== undefined && agentSessionId !== session.nativeId)
      throw new DaemonError(
        'VALIDATION_ERROR',
        `the report is about agent session "${agentSessionId}", and session ${session.id} is "${session.nativeId}"`,
        { hint: 'report it to the session with that agent session id, or leave "agentSessionId" out' },
      );
    await applyReport(
      desk,
      session,
      {
        fact: factOf(desk, deliveryId, report),
        agentSessionId,
        prompts: 0,
        key: `${session.id}/${deliveryId}`,
        // It carries no process, so it cannot show that an ended session is running again.
        mayMove: session.origin !== 'daemon' && !session.isTerminated,
      },
      follow,
    );
    return findSession(desk, session.id);
  });
}

function factOf(desk: Desk, id: string, { state, timestamp = desk.now(), ...said }: ActivityReport): HookFact {
  const report: Partial<ActivityReport> = desk.settings.storeActivity ? said : {};
  const secrets = secretsOf(desk.env);
  const clean = (text = '') => redactSecrets(text.slice(0, READ_CHARS), secrets).trim();
  const title = titleOf(clean(report.title));
  const summary = clean(report.summary).slice(0, SUMMARY_CHARS);
  return {
    id,
    at: Math.min(timestamp, desk.now()),
    ...(state === undefined ? {} : { state }),
    ...(title === null ? {} : { title }),
    ...(summary === '' ? {} : { summary }),
  };
}

interface Taking {
  agentSessionId: string | undefined;
  /** Prompts in this report. */
  prompts: number;
  /** Identifies the delivery: the same key again changes nothing. */
  key: string;
}

interface Report extends Taking {
  fact: HookFact;
  /** It may come from a process that agent-mux did not start. */
  mayMove: boolean;
}

/** The one way from a report to the rows of its session. Runs within the session's serial. */
export async function applyReport(desk: Desk, session: Session, report: Report, follow: Follow): Promise<void> {
  const { fact, agentSessionId, prompts, key } = report;
  const weight = weigh(desk, session, report);
  const taking = { weight, agentSessionId, prompts, key };
  const memory = await takeFact(desk, session, weight === 'add' ? withoutState(fact) : fact, taking);
  if (weight === 'hand') follow({ ...session, nativeId: session.nativeId ?? agentSessionId ?? null }, memory);
}

/** A daemon session becomes unmanaged when another process resumes it: later than its last change, and alive. */
function weigh(desk: Desk, session: Session, { mayMove, fact }: Report): HookWeight {
  if (desk.live.has(session.id) || !mayMove) return 'add';
  if (session.origin !== 'daemon') return 'hand';
  return fact.state !== 'exited' && fact.at > session.activitySince ? 'hand' : 'add';
}

function withoutState({ state: _, ...fact }: HookFact): HookFact {
  return fact;
}

/** One commit, none if the delivery is known. Runs within the session's serial. Returns what is known now. */
export async function takeFact(
  desk: Desk,
  session: Session,
  fact: HookFact,
  taking: Taking & { weight: HookWeight },
): Promise<HookMemory> {
  const { weight, key } = taking;
  const now = desk.now();
  const memory = addFact(await memoryFor(desk, session, weight), fact);
  const isSeen = lookAtProcess(memory) === 'lives';
  const isNew = await desk.store.takeDelivery({
    key,
    now,
    update: { id: session.id, change: changeBy(session, memory, { ...taking, now, isSeen }) },
    ...(weight === 'add' ? {} : { record: { kind: HOOKS, key: session.id, value: memory } }),
  });
  if (isNew) tellChange(desk);
  return memory;
}

/** Reports of an earlier life of the session say nothing about this one. */
async function memoryFor(desk: Desk, session: Session, weight: HookWeight): Promise<HookMemory> {
  if (weight === 'add') return NOTHING_HEARD;
  const known = withoutFuture(await readMemory(desk, session.id), desk.now());
  return session.origin === 'daemon' ? { ...NOTHING_HEARD, title: known.title } : known;
}
