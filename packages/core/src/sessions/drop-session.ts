import type { SessionRef, SessionStore } from '../contract/sessions.ts';

/** So much of an id stands at least in the name of its file. */
const NAMING_CHARACTERS = 8;

/**
 * Takes a session out of the agent's store, by its id. Only what may be it by its name is looked into. False: it is not there,
 * or cannot be taken out.
 */
export async function dropSession(store: SessionStore, sessionId: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  if (!store.remove) return false;
  for (const ref of (await store.find(env)).filter((one) => mayBe(one, sessionId))) {
    const session = await store.read(ref, { brief: true }).catch(() => undefined);
    if (session?.sessionId !== sessionId) continue;
    await store.remove(ref);
    return true;
  }
  return false;
}

function mayBe({ path, key }: SessionRef, sessionId: string): boolean {
  return key === sessionId || path.includes(sessionId.slice(0, NAMING_CHARACTERS));
}
