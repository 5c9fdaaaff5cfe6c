import { AgentMuxError } from '@agent-mux/core';
import { EXIT } from '../exit-codes.ts';
import { printJson, printNote } from '../output.ts';
import { findDaemon, startDaemon } from './find.ts';
import { printStatus, statusOf } from './status.ts';

/** Starts it in the background; one that runs already is told of. */
export async function goUp({ port, json }: { port: number | undefined; json: boolean }): Promise<number> {
  const running = await findDaemon();
  if (running && port !== undefined && port !== 0 && Number(new URL(running.url).port) !== port) {
    throw new AgentMuxError('CONFIG_ERROR', `the daemon runs already, at ${running.url}`, {
      hint: 'amux down ends it; sessions go on meanwhile',
    });
  }
  const status = await statusOf(running ?? (await startDaemon({ port })));
  if (json) return printJson<'up'>(status);
  printStatus(status);
  printNote('amux new -a AGENT "..." begins a session, amux ps lists them, amux down ends the daemon');
  return EXIT.ok;
}
