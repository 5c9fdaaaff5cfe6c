import { findDaemon } from '@agent-mux/daemon/start';
import { withFound } from '../daemon/open.ts';

/** A shell that completes a word starts no daemon. */
export async function schedulesToComplete(): Promise<{ word: string; about: string }[]> {
  const found = await findDaemon();
  if (!found) return [];
  const schedules = await withFound(found, (daemon) => daemon.schedules.list());
  return schedules.map(({ id, cron, session }) => ({ word: id, about: `${cron}: ${session.agent}` }));
}
