import type { Session, SessionRef, SessionStore } from '../contract/sessions.ts';

/** Minimum length of an id in the name of its file. */
const NAMING_CHARACTERS = 8;
/** Some files store whole seconds, and clocks of file systems lag. */
const CLOCK_SLACK_MS = 2_000;

/** The session of a failed attempt. */
export interface Attempt {
  sessionId: string;
  /** When the run started. */
  since: number;
}

/**
 * Deletes the session of a failed attempt from the agent's store. The id comes from the agent and may be that of any
 * session: only one that was created during this run and has no second prompt is deleted. Returns false if it was not
 * found, is another one, or cannot be deleted.
 */
export async function dropSession(store: SessionStore, attempt: Attempt, env: NodeJS.ProcessEnv): Promise<boolean> {
  if (!store.remove) return false;
  for (const ref of (await store.find(env)).filter((one) => mayBe(one, attempt.sessionId))) {
    const session = await store.read(ref).catch(() => undefined);
    if (session?.sessionId !== attempt.sessionId) continue;
    if (!isOf(session, attempt)) return false;
    await store.remove(ref);
    return true;
  }
  return false;
}

function mayBe({ path, key }: SessionRef, sessionId: string): boolean {
  return key === sessionId || path.includes(sessionId.slice(0, NAMING_CHARACTERS));
}

function isOf({ createdAt, messages, branches }: Session, { since }: Attempt): boolean {
  const startedAt = createdAt ?? messages[0]?.timestamp;
  const questions = messages.filter(({ role }) => role === 'user').length;
  return startedAt !== undefined && startedAt >= since - CLOCK_SLACK_MS && questions <= 1 && branches === undefined;
}
