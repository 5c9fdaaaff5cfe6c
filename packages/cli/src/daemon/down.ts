import { AgentMuxError } from '@agent-mux/core';
import { EXIT } from '../exit-codes.ts';
import { print, printJson, printNote } from '../output.ts';
import { withProgress } from '../screen/progress.ts';
import { findDaemon } from './find.ts';
import { withFound } from './open.ts';
import { allSessions } from './pages.ts';

/** A daemon that is told to end writes down what it has; one that takes longer is stuck. */
const PATIENCE_MS = 30_000;
const LOOK_MS = 50;

export async function goDown({ stop, json }: { stop: boolean; json: boolean }): Promise<number> {
  const found = await findDaemon();
  if (!found) {
    if (json) return printJson<'down'>({ pid: null, live: 0 });
    return print('The daemon does not run.');
  }
  const live = await withFound(found, async (daemon) => {
    const all = (await allSessions(daemon)).filter(({ keeperPid }) => keeperPid !== null);
    if (stop) await withProgress('ending sessions', () => Promise.all(all.map(({ id }) => daemon.sessions.stop(id))));
    await daemon.shutdown();
    return all;
  });
  await withProgress('waiting for the daemon to end', () => untilGone(found.pid));
  const left = stop ? 0 : live.length;
  if (json) return printJson<'down'>({ pid: found.pid, live: left });
  print('The daemon has ended.');
  if (left > 0) {
    printNote(
      `${left} session${left === 1 ? ' goes' : 's go'} on without it; amux ps finds ${left === 1 ? 'it' : 'them'} again`,
    );
  }
  return EXIT.ok;
}

async function untilGone(pid: number): Promise<void> {
  const begun = Date.now();
  for (;;) {
    const now = await findDaemon();
    if (now?.pid !== pid) return;
    if (Date.now() - begun > PATIENCE_MS) {
      throw new AgentMuxError('TIMEOUT', `the daemon (process ${pid}) was told to end and has not`, {
        hint: `amux logs says why; kill ${pid} ends it, sessions go on`,
      });
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
