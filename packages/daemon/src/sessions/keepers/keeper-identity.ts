import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '@agent-mux/core';
import type { KeeperRecord } from '../../keeper/protocol.ts';
import { isKeeperAlive } from '../../keeper/record.ts';
import type { Desk } from '../desk.ts';

const KIND = 'keeper';

type Identity = Pick<KeeperRecord, 'pid' | 'startTime' | 'group'>;

/** Which process holds a session, in the store: its record in the session's folder goes with the folder. */
export async function rememberKeeper(
  { store, now }: Pick<Desk, 'store' | 'now'>,
  id: string,
  { pid, startTime, group }: Identity,
): Promise<void> {
  await store.putRecord(KIND, id, { pid, startTime, group }, now());
}

export async function forgetKeeper({ store }: Pick<Desk, 'store'>, id: string): Promise<void> {
  await store.deleteRecord(KIND, id);
}

/**
 * The keeper that lives although the session's folder was deleted under it. It ends the session when it notices. One that holds
 * further sessions does not end with this one.
 */
export async function findOrphanedKeeper(
  { store, places }: Pick<Desk, 'store' | 'places'>,
  id: string,
): Promise<Identity | undefined> {
  if (existsSync(join(places.sessions, id))) return undefined;
  const stored = await store.getRecord(KIND, id);
  const { pid, startTime, group } = isRecord(stored) ? stored : {};
  if (typeof pid !== 'number' || typeof startTime !== 'string' || group !== null) return undefined;
  return isKeeperAlive({ pid, startTime }) ? { pid, startTime, group } : undefined;
}
