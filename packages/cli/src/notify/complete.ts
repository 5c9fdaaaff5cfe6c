import { findDaemon } from '@agent-mux/daemon/start';
import { withFound } from '../daemon/open.ts';

/** A shell that completes a word starts no daemon. */
export async function targetsToComplete(): Promise<{ word: string; about: string }[]> {
  const found = await findDaemon();
  if (!found) return [];
  const { targets } = await withFound(found, (daemon) => daemon.notifications.list({ limit: 1 }));
  return targets.map(({ name, type }) => ({ word: name, about: type }));
}
