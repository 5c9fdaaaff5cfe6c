import type { SessionEvent } from '@agent-mux/api';
import { isRecord } from '@agent-mux/core';
import type { Expected } from '../keeper/protocol.ts';
import type { Store } from '../store/store.ts';

const KIND = 'reported';

/** An agent that calls its model by more names than this is not believed any further. */
const MAX_MODEL_NAMES = 8;

/**
 * What the agent told of itself in the first launch of the session: the same is expected whenever it comes back. Only its own
 * words are compared with each other, since an option may be a name that the agent has another word for.
 */
export async function readReported(store: Pick<Store, 'getRecord'>, id: string): Promise<Expected> {
  const stored = await store.getRecord(KIND, id);
  const { model, modelNames, permissionMode } = isRecord(stored) ? stored : {};
  return {
    ...(typeof model === 'string' ? { model } : {}),
    ...(Array.isArray(modelNames) ? { modelNames: modelNames.filter((name) => typeof name === 'string') } : {}),
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
    const fresh = reportIn(event);
    if (fresh === undefined) continue;
    const known = await readReported(store, id);
    const names = new Set([...(known.modelNames ?? []), ...(fresh.modelNames ?? [])]);
    const isNews = names.size > (known.modelNames?.length ?? 0) && names.size <= MAX_MODEL_NAMES;
    if (event.type !== 'session_start' && !isNews) continue;
    const modelNames = isNews ? { modelNames: [...names] } : {};
    const { modelNames: _, ...facts } = fresh;
    await store.putRecord(KIND, id, { ...facts, ...known, ...modelNames }, event.timestamp);
  }
}

/** What one event says of the agent: the first one what it is, later ones which names it has for its model. */
function reportIn(event: SessionEvent): Expected | undefined {
  if (event.type === 'session_start') {
    const { model, permissionMode } = event;
    if (model === undefined && permissionMode === undefined) return undefined;
    return { ...(model === undefined ? {} : { model }), ...(permissionMode === undefined ? {} : { permissionMode }) };
  }
  const used = event.type === 'cost' || (event.type === 'message_start' && event.parentToolCallId === undefined);
  return used && event.model !== undefined ? { modelNames: [event.model] } : undefined;
}

/** Another model is wanted, or another mode: what the agent tells next counts from then on. */
export async function forgetReported(
  store: Pick<Store, 'getRecord' | 'putRecord'>,
  id: string,
  names: readonly ('model' | 'permissionMode')[],
  now: number,
): Promise<void> {
  if (names.length === 0) return;
  const { model, modelNames, permissionMode } = await readReported(store, id);
  const kept: Expected = {
    ...(names.includes('model') ? {} : { model, modelNames }),
    ...(names.includes('permissionMode') ? {} : { permissionMode }),
  };
  await store.putRecord(KIND, id, kept, now);
}

export async function dropReported(store: Pick<Store, 'deleteRecord'>, id: string): Promise<void> {
  await store.deleteRecord(KIND, id);
}
