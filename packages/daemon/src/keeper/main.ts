/** Entry point of the keeper process. */
import { basename } from 'node:path';
import { runKeeperProcess } from '../keeper-process/run-keeper-process.ts';
import { parseLaunchSpec } from './parse-launch.ts';
import { runKeeper } from './run-keeper.ts';
import { readOwnVersion } from './version.ts';

await runKeeperProcess(async (folder, options) => {
  const launch = parseLaunchSpec(options);
  process.title = `amux-keeper ${launch.agent} ${launch.group ?? basename(launch.sessionId)}`;
  return runKeeper(folder, launch, readOwnVersion());
});
