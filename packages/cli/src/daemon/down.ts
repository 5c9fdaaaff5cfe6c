import { globSync } from 'node:fs';
import { ensureDaemon, findDaemon, resolveDaemonPaths, stopDaemon } from '@agent-mux/daemon/start';
import { EXIT } from '../exit-codes.ts';
import { print, printJson, printNote } from '../output.ts';
import { withProgress } from '../screen/progress.ts';
import { withRunningDaemon } from './open.ts';
import { allSessions } from './pages.ts';

export async function runDown({ stop, json }: { stop: boolean; json: boolean }): Promise<number> {
  const live = await findLive(stop);
  const ended = await withProgress('stopping the daemon', () => stopDaemon());
  const left = stop ? 0 : live;
  if (json) return printJson<'down'>({ pid: ended?.pid ?? null, live: left });
  if (!ended) return print('The daemon is not running.');
  print(`Daemon stopped${ended.by === 'request' ? '' : `; it did not respond and was sent ${ended.by}`}.`);
  if (left > 0) {
    print(left === 1 ? '1 session keeps running.' : `${left} sessions keep running.`);
    printNote('run "amux ps" to start the daemon again and list them');
  }
  return EXIT.ok;
}

/** Number of running sessions, after stopping them if requested. */
async function findLive(stop: boolean): Promise<number> {
  // Only a daemon can stop sessions that run without one.
  const found = (await findDaemon()) ?? (stop && hasKeepers() ? await ensureDaemon() : null);
  if (!found) return 0;
  return withRunningDaemon(found, async (daemon) => {
    const live = (await allSessions(daemon)).filter(({ keeperPid }) => keeperPid !== null);
    if (stop)
      await withProgress('stopping sessions', () => Promise.all(live.map(({ id }) => daemon.sessions.stop(id))));
    return live.length;
  });
}

function hasKeepers(): boolean {
  return globSync('*/keeper.json', { cwd: resolveDaemonPaths().sessions }).length > 0;
}
