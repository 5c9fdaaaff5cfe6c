import { readFileSync } from 'node:fs';
import { planRound, runRound } from '@agent-mux/testkit/chaos';
import { daemonCommand } from './daemon-command.ts';
import type { RoundJob } from './job.ts';

/** Plays one round and prints its outcome as a line of JSON. Started in surroundings of its own by test-chaos. */
const { folder, warm, path, isBuilt, ...choice }: RoundJob = JSON.parse(readFileSync(0, 'utf8'));
const outcome = await runRound(planRound(choice), { folder, warm, path, daemon: daemonCommand(isBuilt) });
process.stdout.write(`${JSON.stringify(outcome)}\n`, () => process.exit(0));
