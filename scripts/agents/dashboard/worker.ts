/**
 * Runs the dashboard cases of one agent with one daemon and one browser. Prints one line of JSON per result. Started by
 * test-agents in an isolated environment.
 */
import { readFileSync } from 'node:fs';
import type { CaseResult } from '@agent-mux/testkit';
import { dashboardCasesFor } from './cases.ts';
import { createStage, type Stage } from './stage.ts';
import type { DashboardJob } from './verify.ts';

/** Stops all sessions of a case, which would slow down the next case and appear in its inbox. */
const STOP_ALL = `fetch('/api/v1/sessions?limit=100').then((answer) => answer.json()).then(({ sessions }) =>
  Promise.all(sessions.filter(({ isTerminated }) => !isTerminated).map(({ id }) =>
    fetch('/api/v1/sessions/' + id + '/stop', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }))))`;

const job: DashboardJob = JSON.parse(readFileSync(0, 'utf8'));
const stage = await createStage(job);
for (const one of dashboardCasesFor(job.agent)) {
  if (!job.cases.includes(one.id)) continue;
  const started = performance.now();
  const error = await one.run(stage).then(() => undefined, errorText);
  await clear(stage);
  const result: CaseResult = {
    agent: job.agent,
    mode: 'dashboard',
    carrier: 'daemon',
    case: one.id,
    folder: '',
    ok: error === undefined,
    ms: performance.now() - started,
    ...(error === undefined ? {} : { error }),
  };
  process.stdout.write(`${JSON.stringify(result)}\n`);
}
await stage.stop();
process.exit(0);

async function clear({ freshPage }: Stage): Promise<void> {
  try {
    await (await freshPage()).evaluate(STOP_ALL);
  } catch {
    // The next case will report the problem.
  }
}

function errorText(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
