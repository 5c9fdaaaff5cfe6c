import type { ProcessIdentity } from '@agent-mux/core';
import { changeBy } from '../activity/hook-change.ts';
import { addFact, type HookFact, NOTHING_HEARD } from '../activity/hook-memory.ts';
import { type Desk, tellChange } from '../sessions/desk.ts';
import { emptyRow } from '../sessions/empty-row.ts';
import { createSessionId } from '../sessions/ids.ts';
import type { StoredSession } from '../store/store.ts';
import { findWhose } from './find-session.ts';
import type { HandSessions } from './hand-sessions.ts';
import { HOOKS, lookAtProcess } from './hook-records.ts';
import { applyReport } from './report-activity.ts';
import type { Delivery } from './spool.ts';
import { findAgentProcess, type Understood, understand } from './understand.ts';

/** So many sessions that somebody has started by hand are followed at once. */
const MOST_BY_HAND = 500;

/** What came of a report: null where all is well, else why it was left out. Throws where it cannot be understood or stored. */
export async function takeDelivery(
  desk: Desk,
  hand: HandSessions,
  delivery: Delivery,
  secrets: readonly string[],
): Promise<string | null> {
  const { agent } = delivery;
  const adapter = desk.clientFor({ id: '', cwd: '/', trustProject: false }).adapters.get(agent);
  const said = understand(delivery, adapter, secrets);
  const process = findAgentProcess(delivery.ancestors);
  const whose = await findWhose(desk, delivery, said, { byHand: hand.known, process });
  if (whose.kind === 'nobody') return whose.isSuspicious ? `refused: ${whose.why}` : whose.why;
  const fact = factOf(desk, delivery, said, process);
  if (whose.kind === 'new') {
    if (hand.known.size >= MOST_BY_HAND) return `refused: ${MOST_BY_HAND} sessions in terminals are followed already`;
    await begin(desk, hand, { agent, cwd: whose.cwd, startedIn: whose.startedIn, key: delivery.id }, fact, said);
    return null;
  }
  const { id } = whose.session;
  await desk.serial.run(id, async () => {
    const session = await desk.store.getSession(id);
    if (!session) return;
    const { agentSessionId } = said;
    const report = { fact, agentSessionId, prompts: said.isPrompt ? 1 : 0, key: delivery.id, mayMove: !whose.ours };
    await applyReport(desk, session, report, (followed, memory) => hand.note(followed, memory));
  });
  return null;
}

function factOf(
  desk: Desk,
  { id, at }: Delivery,
  { state, model, ...said }: Understood,
  process: ProcessIdentity | undefined,
): HookFact {
  const { title, summary } = desk.settings.storeActivity ? said : {};
  return {
    id,
    // A clock that was set back since must not make later calls look like earlier ones.
    at: Math.min(at, desk.now()),
    ...(state === undefined ? {} : { state }),
    ...(title === undefined ? {} : { title }),
    ...(summary === undefined ? {} : { summary }),
    ...(model === undefined ? {} : { model }),
    ...(process === undefined ? {} : { process: { pid: process.pid, startTime: process.startTime } }),
  };
}

interface Beginning {
  agent: string;
  cwd: string;
  startedIn: string | null;
  key: string;
}

/** Somebody has started it in a terminal. */
async function begin(
  desk: Desk,
  hand: HandSessions,
  given: Beginning,
  fact: HookFact,
  said: Understood,
): Promise<void> {
  const { agentSessionId, isPrompt } = said;
  const empty = rowOf(desk, given);
  const memory = addFact(NOTHING_HEARD, fact);
  const isSeen = lookAtProcess(memory) === 'lives';
  const counted = { ...empty, rev: 0, openRequests: 0, queuedMessages: 0 };
  const { addMetadata = {}, ...change } = changeBy(counted, memory, {
    ...{ weight: 'hand', agentSessionId, isSeen },
    now: desk.now(),
    prompts: isPrompt ? 1 : 0,
  });
  const insert: StoredSession = { ...empty, ...change, metadata: { ...empty.metadata, ...addMetadata } };
  const record = { kind: HOOKS, key: insert.id, value: memory };
  if (!(await desk.store.takeDelivery({ key: given.key, now: desk.now(), insert, record }))) return;
  hand.note(insert, memory);
  tellChange(desk);
}

function rowOf(desk: Desk, { agent, cwd, startedIn }: Beginning): StoredSession {
  const { onLimit } = desk.settings;
  return {
    ...emptyRow({ id: createSessionId(), agent, cwd, onLimit, now: desk.now() }),
    parked: false,
    origin: 'hand',
    metadata: startedIn === null ? {} : { startedIn },
  };
}
