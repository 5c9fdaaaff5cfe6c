/** Entry point of the terminal keeper process. */
import { basename } from 'node:path';
import { readOwnVersion } from '../keeper/version.ts';
import { runKeeperProcess } from '../keeper-process/run-keeper-process.ts';
import { parseTerminalLaunch } from './parse-launch.ts';
import { runTerminal } from './run-terminal.ts';

await runKeeperProcess(async (_, options) => {
  const launch = parseTerminalLaunch(options);
  process.title = `amux-terminal ${launch.agent} ${basename(launch.sessionId)}`;
  return runTerminal(launch, readOwnVersion());
});
