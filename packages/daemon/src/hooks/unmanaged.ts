import { join } from 'node:path';
import type { Session } from '@agent-mux/api';
import { DaemonError } from '../daemon-error.ts';
import type { DaemonContext } from '../sessions/daemon-context.ts';
import { findSession } from '../sessions/find.ts';
import { createMessageId } from '../sessions/ids.ts';
import { endTerminal } from '../terminals/connect-terminal.ts';
import { findStoredSince } from '../terminals/find-native.ts';
import { checkProcess, readHookRecord } from './hook-records.ts';
import { applyHookFact } from './report-activity.ts';

/** Whether the session runs outside the daemon, as far as is known. */
export function isUnmanaged({ origin, isTerminated }: Pick<Session, 'origin' | 'isTerminated'>): boolean {
  return origin !== 'daemon' && !isTerminated;
}

/**
 * Two processes that resume one session corrupt it, so a session in a terminal is left alone until it has ended there.
 * Returns the current session. Call it while holding the session's mutex.
 */
export async function assertNotInTerminal(ctx: DaemonContext, session: Session): Promise<Session> {
  if (!isUnmanaged(session)) return session;
  const memory = await readHookRecord(ctx, session.id);
  const found = checkProcess(memory);
  if (found === 'gone') return endUnmanaged(ctx, session);
  const { id } = session;
  if (session.origin === 'terminal')
    throw new DaemonError('SESSION_IN_TERMINAL', `session ${id} is open in its own terminal`, {
      hint: `run "amux attach ${id}" to show it and type there`,
    });
  throw new DaemonError(
    'SESSION_IN_TERMINAL',
    found === 'lives'
      ? `session ${id} is running in a terminal (process ${memory.process?.value.pid})`
      : `session ${id} was started in a terminal and may still be running there`,
    {
      hint:
        found === 'lives'
          ? `continue it there, or run "amux restore ${id}" after it has ended`
          : `if it has ended, run "amux stop ${id}" and then "amux restore ${id}"`,
    },
  );
}

/** Finds a session and throws if it runs in a terminal. */
export async function findManagedSession(ctx: DaemonContext, id: string): Promise<Session> {
  const found = await findSession(ctx, id);
  if (!isUnmanaged(found)) return found;
  return ctx.mutex.run(found.id, async () => assertNotInTerminal(ctx, await findSession(ctx, found.id)));
}

/** Ends a session whose process has exited, or which the user declared ended. */
export async function endUnmanaged(ctx: DaemonContext, session: Session): Promise<Session> {
  const id = createMessageId();
  const fact = { id, at: ctx.now(), state: 'exited' } as const;
  const stored =
    session.origin === 'terminal' && session.agentSessionId === null ? await findStoredSince(ctx, session) : [];
  await applyHookFact(ctx, session, fact, {
    weight: 'unmanaged',
    agentSessionId: stored.length === 1 ? stored[0] : undefined,
    prompts: 0,
    key: `${session.id}/${id}`,
  });
  return findSession(ctx, session.id);
}

/** A running process is not stopped from here: it belongs to the user's terminal. */
export async function stopUnmanaged(ctx: DaemonContext, session: Session): Promise<void> {
  if (!isUnmanaged(session)) return;
  if (session.origin === 'terminal') {
    await endTerminal(join(ctx.paths.sessions, session.id));
    await endUnmanaged(ctx, session);
  } else if (checkProcess(await readHookRecord(ctx, session.id)) === 'lives') await assertNotInTerminal(ctx, session);
  else await endUnmanaged(ctx, session);
}
