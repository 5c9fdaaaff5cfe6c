import { join } from 'node:path';
import type { Session } from '@agent-mux/api';
import { DaemonError } from '../daemon-error.ts';
import type { Desk } from '../sessions/desk.ts';
import { findSession } from '../sessions/find.ts';
import { createMessageId } from '../sessions/ids.ts';
import { endTerminal } from '../terminals/connect-terminal.ts';
import { findStoredSince } from '../terminals/find-native.ts';
import { lookAtProcess, readMemory } from './hook-records.ts';
import { takeFact } from './report-activity.ts';

/** It lives in a terminal, as far as is known. */
export function isByHand({ origin, isTerminated }: Pick<Session, 'origin' | 'isTerminated'>): boolean {
  return origin !== 'daemon' && !isTerminated;
}

/**
 * Two processes that go on with one session spoil it: what lives in a terminal is left alone until it has ended there. Returns the
 * session as it is now. Runs within the session's serial.
 */
export async function refuseElsewhere(desk: Desk, session: Session): Promise<Session> {
  if (!isByHand(session)) return session;
  const memory = await readMemory(desk, session.id);
  const found = lookAtProcess(memory);
  if (found === 'gone') return endByHand(desk, session);
  const { id } = session;
  if (session.origin === 'terminal')
    throw new DaemonError('SESSION_ELSEWHERE', `session ${id} is open in a terminal of its own`, {
      hint: `amux attach ${id} shows it; what is typed there reaches the agent`,
    });
  throw new DaemonError(
    'SESSION_ELSEWHERE',
    found === 'lives'
      ? `session ${id} is at work in a terminal (process ${memory.process?.value.pid})`
      : `session ${id} was started in a terminal, and it is not known whether it has ended there`,
    {
      hint:
        found === 'lives'
          ? `go on there; when it has ended, amux restore ${id} goes on with it here`
          : `where it has ended, amux stop ${id} says so, and amux restore ${id} goes on with it here`,
    },
  );
}

/** One that does not live in a terminal. */
export async function findHere(desk: Desk, id: string): Promise<Session> {
  const found = await findSession(desk, id);
  if (!isByHand(found)) return found;
  return desk.serial.run(found.id, async () => refuseElsewhere(desk, await findSession(desk, found.id)));
}

/** Its process is gone, or somebody says so. */
export async function endByHand(desk: Desk, session: Session): Promise<Session> {
  const id = createMessageId();
  const fact = { id, at: desk.now(), state: 'exited' } as const;
  const stored = session.origin === 'terminal' && session.nativeId === null ? await findStoredSince(desk, session) : [];
  await takeFact(desk, session, fact, {
    weight: 'hand',
    agentSessionId: stored.length === 1 ? stored[0] : undefined,
    prompts: 0,
    key: `${session.id}/${id}`,
  });
  return findSession(desk, session.id);
}

/** One whose process is there is not ended from here: it is somebody's terminal. */
export async function stopByHand(desk: Desk, session: Session): Promise<void> {
  if (!isByHand(session)) return;
  if (session.origin === 'terminal') {
    await endTerminal(join(desk.places.sessions, session.id));
    await endByHand(desk, session);
  } else if (lookAtProcess(await readMemory(desk, session.id)) === 'lives') await refuseElsewhere(desk, session);
  else await endByHand(desk, session);
}
