import { findDaemon } from '@agent-mux/daemon/start';
import { withRunningDaemon } from '../daemon/open.ts';

/** Does not start the daemon. */
export async function completeSchedules(): Promise<{ word: string; about: string }[]> {
  const found = await findDaemon();
  if (!found) return [];
  const schedules = await withRunningDaemon(found, (daemon) => daemon.schedules.list());
  return schedules.map(({ id, cron, session }) => ({ word: id, about: `${cron}: ${session.agent}` }));
}
