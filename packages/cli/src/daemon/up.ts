import { AgentMuxError } from '@agent-mux/core/light';
import { ensureDaemon, findDaemon } from '@agent-mux/daemon/start';
import { EXIT } from '../exit-codes.ts';
import { printJson, printNote } from '../output.ts';
import { printStatus, statusOf } from './status.ts';

/** Starts it in the background; one that runs already is told of. */
export async function goUp({ port, json }: { port: number | undefined; json: boolean }): Promise<number> {
  const running = await findDaemon();
  if (running && port !== undefined && port !== 0 && Number(new URL(running.url).port) !== port) {
    throw new AgentMuxError('CONFIG_ERROR', `the daemon runs already, at ${running.url}`, {
      hint: 'amux down ends it; sessions go on meanwhile',
    });
  }
  const status = await statusOf(running ?? (await ensureDaemon({ ...process.env, ...portVariable(port) })));
  if (json) return printJson<'up'>(status);
  printStatus(status);
  printNote('amux new -a AGENT "..." begins a session, amux ps lists them, amux down ends the daemon');
  return EXIT.ok;
}

/** How a daemon that is a process of its own is told its port. */
function portVariable(port: number | undefined): { AGENT_MUX_PORT?: string } {
  return port === undefined ? {} : { AGENT_MUX_PORT: String(port) };
}
