import { AgentMuxError } from '@agent-mux/core/light';
import { ensureDaemon, findDaemon } from '@agent-mux/daemon/start';
import { EXIT } from '../exit-codes.ts';
import { printJson, printNote } from '../output.ts';
import { printStatus, statusOf } from './status.ts';

/** Starts the daemon in the background, or reports the one that is running. */
export async function runUp({ port, json }: { port: number | undefined; json: boolean }): Promise<number> {
  const running = await findDaemon();
  if (running && port !== undefined && port !== 0 && Number(new URL(running.url).port) !== port) {
    throw new AgentMuxError('CONFIG_ERROR', `the daemon is already running at ${running.url}`, {
      hint: 'run "amux down" to stop it; sessions keep running',
    });
  }
  const status = await statusOf(running ?? (await ensureDaemon({ ...process.env, ...portVariable(port) })));
  if (json) return printJson<'up'>(status);
  printStatus(status);
  printNote(
    'run "amux new -a AGENT ..." to start a session, "amux ps" to list sessions, "amux down" to stop the daemon',
  );
  return EXIT.ok;
}

/** Environment that passes the port to the daemon process. */
function portVariable(port: number | undefined): { AGENT_MUX_PORT?: string } {
  return port === undefined ? {} : { AGENT_MUX_PORT: String(port) };
}
