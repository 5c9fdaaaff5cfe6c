import { readFileSync } from 'node:fs';
import { planRound, runCase, runRound } from '@agent-mux/testkit/chaos';
import { amuxCommand, daemonCommand } from './daemon-command.ts';
import type { ChaosJob } from './job.ts';

/** Plays one round or one case and prints its outcome as a JSON line. Started in an isolated environment by test-chaos. */
const { folder, warm, path, isBuilt, ...job }: ChaosJob = JSON.parse(readFileSync(0, 'utf8'));
const options = {
  folder,
  warm,
  path,
  daemon: daemonCommand(isBuilt),
  needsDaemon: amuxCommand(isBuilt, 'ps', '--json'),
};
const outcome = 'case' in job ? await runCase(job.case, options) : await runRound(planRound(job), options);
process.stdout.write(`${JSON.stringify(outcome)}\n`, () => process.exit(0));
