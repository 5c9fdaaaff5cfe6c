import type { SessionEvent } from '@agent-mux/api';
import { isRecord } from '@agent-mux/core';
import type { ExpectedIdentity } from '../keeper/protocol.ts';
import type { Store } from '../store/store.ts';

const KIND = 'reported';

/** Further names that an agent uses for its model are ignored. */
const MAX_MODEL_NAMES = 8;

/**
 * What the agent reported about itself in the first launch of the session; later launches must report the same. Only
 * reports are compared, since an option may be an alias of what the agent reports.
 */
export async function readIdentity(store: Pick<Store, 'getRecord'>, id: string): Promise<ExpectedIdentity> {
  const stored = await store.getRecord(KIND, id);
  const { model, modelNames, permissionMode } = isRecord(stored) ? stored : {};
  return {
    ...(typeof model === 'string' ? { model } : {}),
    ...(Array.isArray(modelNames) ? { modelNames: modelNames.filter((name) => typeof name === 'string') } : {}),
    ...(typeof permissionMode === 'string' ? { permissionMode } : {}),
  };
}

/** Values that are already known are remaining. */
export async function saveIdentity(
  store: Pick<Store, 'getRecord' | 'putRecord'>,
  id: string,
  events: readonly SessionEvent[],
): Promise<void> {
  for (const event of events) {
    const fresh = identityIn(event);
    if (fresh === undefined) continue;
    const known = await readIdentity(store, id);
    const names = new Set([...(known.modelNames ?? []), ...(fresh.modelNames ?? [])]);
    const isNewName = names.size > (known.modelNames?.length ?? 0) && names.size <= MAX_MODEL_NAMES;
    if (event.type !== 'session_start' && !isNewName) continue;
    const modelNames = isNewName ? { modelNames: [...names] } : {};
    const { modelNames: _, ...facts } = fresh;
    await store.putRecord(KIND, id, { ...facts, ...known, ...modelNames }, event.timestamp);
  }
}

/** Identity in one event: the first one reports model and mode, later ones report names of the model. */
function identityIn(event: SessionEvent): ExpectedIdentity | undefined {
  if (event.type === 'session_start') {
    const { model, permissionMode } = event;
    if (model === undefined && permissionMode === undefined) return undefined;
    return { ...(model === undefined ? {} : { model }), ...(permissionMode === undefined ? {} : { permissionMode }) };
  }
  const used = event.type === 'cost' || (event.type === 'message_start' && event.parentToolCallId === undefined);
  return used && event.model !== undefined ? { modelNames: [event.model] } : undefined;
}

/** Forgets the model or mode after the user changed it; the next report counts. */
export async function clearIdentity(
  store: Pick<Store, 'getRecord' | 'putRecord'>,
  id: string,
  names: readonly ('model' | 'permissionMode')[],
  now: number,
): Promise<void> {
  if (names.length === 0) return;
  const { model, modelNames, permissionMode } = await readIdentity(store, id);
  const remaining: ExpectedIdentity = {
    ...(names.includes('model') ? {} : { model, modelNames }),
    ...(names.includes('permissionMode') ? {} : { permissionMode }),
  };
  await store.putRecord(KIND, id, remaining, now);
}

export async function dropIdentities(store: Pick<Store, 'deleteRecord'>, id: string): Promise<void> {
  await store.deleteRecord(KIND, id);
}
