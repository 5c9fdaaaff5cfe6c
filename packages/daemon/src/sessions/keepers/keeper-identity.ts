import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '@agent-mux/core';
import type { KeeperRecord } from '../../keeper/protocol.ts';
import { isKeeperAlive } from '../../keeper/record.ts';
import type { DaemonContext } from '../daemon-context.ts';

const KIND = 'keeper';

type Identity = Pick<KeeperRecord, 'pid' | 'startTime' | 'group'>;

/** Stores which process holds a session, since the record in the session's folder is lost with the folder. */
export async function rememberKeeper(
  { store, now }: Pick<DaemonContext, 'store' | 'now'>,
  id: string,
  { pid, startTime, group }: Identity,
): Promise<void> {
  await store.putRecord(KIND, id, { pid, startTime, group }, now());
}

export async function forgetKeeper({ store }: Pick<DaemonContext, 'store'>, id: string): Promise<void> {
  await store.deleteRecord(KIND, id);
}

/**
 * Finds a keeper that is alive although the session's folder was deleted. It ends the session when it notices. A keeper
 * that holds further sessions does not end with this one.
 */
export async function findOrphanedKeeper(
  { store, paths }: Pick<DaemonContext, 'store' | 'paths'>,
  id: string,
): Promise<Identity | undefined> {
  if (existsSync(join(paths.sessions, id))) return undefined;
  const stored = await store.getRecord(KIND, id);
  const { pid, startTime, group } = isRecord(stored) ? stored : {};
  if (typeof pid !== 'number' || typeof startTime !== 'string' || group !== null) return undefined;
  return isKeeperAlive({ pid, startTime }) ? { pid, startTime, group } : undefined;
}
