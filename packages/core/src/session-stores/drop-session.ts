import type { Session, SessionRef, SessionStore } from '../contract/sessions.ts';

/** So much of an id stands at least in the name of its file. */
const NAMING_CHARACTERS = 8;
/** Some files hold whole seconds, and clocks of file systems lag. */
const CLOCK_SLACK_MS = 2_000;

/** What is known of the session of an attempt that has failed. */
export interface Attempt {
  sessionId: string;
  /** When the run began. */
  since: number;
}

/**
 * Takes the session of a failed attempt out of the agent's store. The id is the agent's word, which may be that of any
 * session: only one that was made during this run and holds no second question goes. False: it is not there, is another, or
 * cannot be taken out.
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
  const begun = createdAt ?? messages[0]?.timestamp;
  const questions = messages.filter(({ role }) => role === 'user').length;
  return begun !== undefined && begun >= since - CLOCK_SLACK_MS && questions <= 1 && branches === undefined;
}
