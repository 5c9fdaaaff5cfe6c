import type { SessionEvent } from '@agent-mux/api';
import { isRecord } from '@agent-mux/core';
import type { Expected } from '../keeper/protocol.ts';
import type { Store } from '../store/store.ts';

const KIND = 'reported';

/**
 * What the agent told of itself in the first launch of the session: the same is expected whenever it comes back. Only its own
 * words are compared with each other, since an option may be a name that the agent has another word for.
 */
export async function readReported(store: Pick<Store, 'getRecord'>, id: string): Promise<Expected> {
  const stored = await store.getRecord(KIND, id);
  const { model, permissionMode } = isRecord(stored) ? stored : {};
  return {
    ...(typeof model === 'string' ? { model } : {}),
    ...(typeof permissionMode === 'string' ? { permissionMode } : {}),
  };
}

/** What is known already stays. */
export async function rememberReported(
  store: Pick<Store, 'getRecord' | 'putRecord'>,
  id: string,
  events: readonly SessionEvent[],
): Promise<void> {
  for (const event of events) {
    if (event.type !== 'session_start') continue;
    const { model, permissionMode, timestamp } = event;
    if (model === undefined && permissionMode === undefined) continue;
    const fresh = {
      ...(model === undefined ? {} : { model }),
      ...(permissionMode === undefined ? {} : { permissionMode }),
    };
    await store.putRecord(KIND, id, { ...fresh, ...(await readReported(store, id)) }, timestamp);
  }
}

/** Somebody wants it otherwise: what the agent tells next counts from then on. */
export async function forgetReported(
  store: Pick<Store, 'getRecord' | 'putRecord'>,
  id: string,
  names: readonly (keyof Expected)[],
  now: number,
): Promise<void> {
  const kept = Object.entries(await readReported(store, id)).filter(([name]) => !names.some((one) => one === name));
  if (names.length > 0) await store.putRecord(KIND, id, Object.fromEntries(kept), now);
}

export async function dropReported(store: Pick<Store, 'deleteRecord'>, id: string): Promise<void> {
  await store.deleteRecord(KIND, id);
}
