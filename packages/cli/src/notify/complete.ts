import { findDaemon } from '@agent-mux/daemon/start';
import { withRunningDaemon } from '../daemon/open.ts';

/** Does not start the daemon. */
export async function completeTargets(): Promise<{ word: string; about: string }[]> {
  const found = await findDaemon();
  if (!found) return [];
  const { targets } = await withRunningDaemon(found, (daemon) => daemon.notifications.list({ limit: 1 }));
  return targets.map(({ name, type }) => ({ word: name, about: type }));
}
