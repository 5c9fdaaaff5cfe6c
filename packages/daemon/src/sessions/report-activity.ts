import type { ActivityReport, Session } from '@agent-mux/api';
import { titleOf } from '../activity/last-line.ts';
import { type Desk, tellChange } from './desk.ts';
import { findSession } from './find.ts';

/**
 * What a hook of the agent says. Of a session that a keeper holds, the stream is the truth: a hook only adds what the stream
 * has not told. Of others the hook is all that is known.
 */
export async function reportActivity(desk: Desk, id: string, report: ActivityReport): Promise<Session> {
  const found = await findSession(desk, id);
  return desk.serial.run(found.id, async () => {
    const session = await findSession(desk, found.id);
    if (report.deliveryId !== undefined && (await isRepeated(desk, session.id, report.deliveryId))) return session;
    const { state, agentSessionId, title, summary } = report;
    const now = desk.now();
    const isHeld = desk.live.has(session.id);
    const name = title === undefined ? null : titleOf(title);
    const changed = await desk.store.updateSession(session.id, {
      metadata: {
        ...session.metadata,
        ...(agentSessionId === undefined ? {} : { agentSessionId }),
        ...(name === null ? {} : { title: name }),
        ...(summary === undefined ? {} : { summary: summary.slice(0, 500) }),
      },
      ...(session.nativeId === null && agentSessionId !== undefined ? { nativeId: agentSessionId } : {}),
      ...(session.title === null && name !== null ? { title: name } : {}),
      ...(!isHeld && summary !== undefined ? { summary: summary.slice(0, 500) } : {}),
      ...(!isHeld && state !== undefined && state !== session.activity
        ? { activity: state, activitySince: now, isTerminated: state === 'exited' }
        : {}),
      updatedAt: now,
      lastActiveAt: now,
    });
    tellChange(desk);
    return changed ?? session;
  });
}

async function isRepeated(desk: Desk, sessionId: string, deliveryId: string): Promise<boolean> {
  const key = `${sessionId}/${deliveryId}`;
  if (
    (await desk.store.getRecord('delivery', key)) !== undefined &&
    (await desk.store.getRecord('delivery', key)) !== null
  )
    return true;
  await desk.store.putRecord('delivery', key, true, desk.now());
  return false;
}
