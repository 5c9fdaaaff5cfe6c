/**
 * One agent in the dashboard, case by case, with one daemon and one browser. Prints a line of JSON for each result. Started in
 * surroundings of its own by test-agents.
 */
import { readFileSync } from 'node:fs';
import type { CaseResult } from '@agent-mux/testkit';
import { dashboardCasesFor } from './cases.ts';
import type { DashboardJob } from './prove.ts';
import { type Stage, setStage } from './stage.ts';

/** Ends what a case has begun: fifteen agents at once would be slow, and in the inbox of the next one. */
const STOP_ALL = `fetch('/api/v1/sessions?limit=100').then((answer) => answer.json()).then(({ sessions }) =>
  Promise.all(sessions.filter(({ isTerminated }) => !isTerminated).map(({ id }) =>
    fetch('/api/v1/sessions/' + id + '/stop', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }))))`;

const job: DashboardJob = JSON.parse(readFileSync(0, 'utf8'));
const stage = await setStage(job);
for (const one of dashboardCasesFor(job.agent)) {
  if (!job.cases.includes(one.id)) continue;
  const started = performance.now();
  const error = await one.run(stage).then(() => undefined, tell);
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
    // Then the next case says what is wrong.
  }
}

function tell(problem: unknown): string {
  return problem instanceof Error ? (problem.stack ?? problem.message) : String(problem);
}
