import type { ActivityReport, Session } from '@agent-mux/api';
import { changeBy, type HookWeight, SUMMARY_CHARS } from '../activity/hook-change.ts';
import { addFact, type HookFact, type HookMemory, NOTHING_HEARD, withoutFuture } from '../activity/hook-memory.ts';
import { titleOf } from '../activity/last-line.ts';
import { type Desk, tellChange } from '../sessions/desk.ts';
import { findSession } from '../sessions/find.ts';
import { createMessageId } from '../sessions/ids.ts';
import type { SessionChange } from '../store/store.ts';
import { HOOKS, lookAtProcess, readMemory } from './hook-records.ts';

/** What a hook of the agent says, told over HTTP. Of a session that a keeper holds it only adds what the stream has not told. */
export async function reportActivity(desk: Desk, id: string, report: ActivityReport): Promise<Session> {
  const found = await findSession(desk, id);
  return desk.serial.run(found.id, async () => {
    const session = await findSession(desk, found.id);
    const { state, agentSessionId, summary, deliveryId = createMessageId(), timestamp = desk.now() } = report;
    const title = titleOf(report.title ?? '');
    const fact: HookFact = {
      id: deliveryId,
      at: Math.min(timestamp, desk.now()),
      ...(state === undefined ? {} : { state }),
      ...(title === null ? {} : { title }),
      ...(summary === undefined ? {} : { summary: summary.slice(0, SUMMARY_CHARS) }),
    };
    const weight = desk.live.has(session.id) ? 'add' : 'follow';
    const said = { ...(title === null ? {} : { title }), ...(agentSessionId === undefined ? {} : { agentSessionId }) };
    await takeFact(desk, session, fact, {
      weight,
      agentSessionId,
      prompts: 0,
      key: `${session.id}/${deliveryId}`,
      said,
    });
    return findSession(desk, session.id);
  });
}

interface Taking {
  weight: HookWeight;
  agentSessionId: string | undefined;
  prompts: number;
  /** By which the same delivery is known again. */
  key: string;
  /** For the metadata, whatever else is known. */
  said?: Readonly<Record<string, string>>;
}

/** One commit; nothing where it was taken before. Runs within the session's serial. Returns what is known by now. */
export async function takeFact(desk: Desk, session: Session, fact: HookFact, taking: Taking): Promise<HookMemory> {
  const { weight, key, said = {} } = taking;
  const now = desk.now();
  const memory = addFact(await memoryFor(desk, session, weight), fact);
  const isSeen = lookAtProcess(memory) === 'lives';
  const { addMetadata, ...change } = changeBy(session, memory, { ...taking, fact, now, isSeen });
  const update: SessionChange = { ...change, addMetadata: { ...addMetadata, ...said } };
  const isNew = await desk.store.takeDelivery({
    key,
    now,
    update: { id: session.id, change: update },
    ...(weight === 'add' ? {} : { record: { kind: HOOKS, key: session.id, value: memory } }),
  });
  if (isNew) tellChange(desk);
  return memory;
}

/** What was told of an earlier life of the session says nothing about what it does in this one. */
async function memoryFor(desk: Desk, session: Session, weight: HookWeight): Promise<HookMemory> {
  if (weight === 'add') return NOTHING_HEARD;
  const known = withoutFuture(await readMemory(desk, session.id), desk.now());
  return weight === 'hand' && session.origin === 'daemon' ? { ...NOTHING_HEARD, title: known.title } : known;
}
