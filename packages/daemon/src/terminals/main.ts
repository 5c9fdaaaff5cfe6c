/** The process that holds a terminal. */
import { basename } from 'node:path';
import { runAsHolder } from '../holder/run-as-holder.ts';
import { readOwnVersion } from '../keeper/version.ts';
import { readTerminalLaunch } from './check-launch.ts';
import { runTerminal } from './run-terminal.ts';

await runAsHolder(async (_, given) => {
  const launch = readTerminalLaunch(given);
  process.title = `amux-terminal ${launch.agent} ${basename(launch.sessionId)}`;
  return runTerminal(launch, readOwnVersion());
});
