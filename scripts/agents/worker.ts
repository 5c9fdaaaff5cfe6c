import { readFileSync } from 'node:fs';
import { createConfiguredClient } from '@agent-mux/adapters';
import { modeOf } from '@agent-mux/core';
import { agentSetups, casesFor, runCases } from '@agent-mux/testkit';
import { connect } from 'agent-mux/client';
import { amuxCommand, daemonCommand } from '../chaos/daemon-command.ts';
import { adapterOf } from './adapters.ts';
import type { WorkerJob } from './job.ts';

/** Runs one group of cases and prints one JSON line per result. Started in an isolated environment by test-agents. */
const job: WorkerJob = JSON.parse(readFileSync(0, 'utf8'));
const adapter = adapterOf(job.agent);
const setup = agentSetups[job.agent]!;
const mode = modeOf(adapter, job.mode);

await runCases({
  adapter,
  setup,
  mode,
  cases: casesFor(adapter, mode, setup, { ofProject: true, carrier: job.carrier }).filter((one) =>
    job.cases.includes(one.id),
  ),
  folder: job.folder,
  warm: job.warm,
  path: job.path,
  openConfigured: createConfiguredClient,
  commands: { amux: amuxCommand(true), daemon: daemonCommand(true) },
  ...(job.carrier === 'daemon' ? { connect } : {}),
  onResult: (result) => process.stdout.write(`${JSON.stringify(result)}\n`),
});
// A case that hung may have left timers behind.
process.exit(0);
