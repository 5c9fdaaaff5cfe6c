import { globSync } from 'node:fs';
import { ensureDaemon, findDaemon, findPlaces, stopDaemon } from '@agent-mux/daemon/start';
import { EXIT } from '../exit-codes.ts';
import { print, printJson, printNote } from '../output.ts';
import { withProgress } from '../screen/progress.ts';
import { withFound } from './open.ts';
import { allSessions } from './pages.ts';

export async function goDown({ stop, json }: { stop: boolean; json: boolean }): Promise<number> {
  const live = await findLive(stop);
  const ended = await withProgress('waiting for the daemon to end', () => stopDaemon());
  const left = stop ? 0 : live;
  if (json) return printJson<'down'>({ pid: ended?.pid ?? null, live: left });
  if (!ended) return print('The daemon does not run.');
  print(`The daemon has ended${ended.by === 'request' ? '' : `; it did not answer, so it got ${ended.by}`}.`);
  if (left > 0) {
    print(left === 1 ? '1 session continues without it.' : `${left} sessions continue without it.`);
    printNote('run "amux ps" to start the daemon again and list them');
  }
  return EXIT.ok;
}

/** How many sessions have a process; ended first, where that is asked for. */
async function findLive(stop: boolean): Promise<number> {
  // Those that go on without a daemon can only be ended by one.
  const found = (await findDaemon()) ?? (stop && hasKeepers() ? await ensureDaemon() : null);
  if (!found) return 0;
  return withFound(found, async (daemon) => {
    const live = (await allSessions(daemon)).filter(({ keeperPid }) => keeperPid !== null);
    if (stop) await withProgress('ending sessions', () => Promise.all(live.map(({ id }) => daemon.sessions.stop(id))));
    return live.length;
  });
}

function hasKeepers(): boolean {
  return globSync('*/keeper.json', { cwd: findPlaces().sessions }).length > 0;
}
