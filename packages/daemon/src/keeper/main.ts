/** The keeper's process. */
import { basename } from 'node:path';
import { runAsHolder } from '../holder/run-as-holder.ts';
import { readLaunch } from './check-launch.ts';
import { runKeeper } from './run-keeper.ts';
import { readOwnVersion } from './version.ts';

await runAsHolder(async (folder, given) => {
  const launch = readLaunch(given);
  process.title = `amux-keeper ${launch.agent} ${launch.group ?? basename(launch.sessionId)}`;
  return runKeeper(folder, launch, readOwnVersion());
});
