/**
 * One agent in the dashboard: a session is begun in a real browser, streams, asks, is allowed and denied. Prints a line of JSON
 * with the result. Started in surroundings of its own by test-agents.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { agentProofs, type CaseResult, scriptByPrompt, startScriptedModel } from '@agent-mux/testkit';
import { beginSession } from '../../packages/web/test/begin-session.ts';
import { openDashboard } from '../../packages/web/test/open-dashboard.ts';
import type { DashboardJob } from './dashboard.ts';

const job: DashboardJob = JSON.parse(readFileSync(0, 'utf8'));
const started = performance.now();
const error = await prove().then(
  () => undefined,
  (problem: unknown) => (problem instanceof Error ? (problem.stack ?? problem.message) : String(problem)),
);
const result: CaseResult = {
  agent: job.agent,
  mode: 'dashboard',
  case: 'begun-allowed-denied',
  folder: '',
  ok: error === undefined,
  ms: performance.now() - started,
  error,
};
process.stdout.write(`${JSON.stringify(result)}\n`);
process.exit(0);

async function prove(): Promise<void> {
  const { agent, path } = job;
  const proof = agentProofs[agent]!;
  const model = await startScriptedModel({
    models: [proof.model.seen, proof.otherModel.seen],
    scenario: scriptByPrompt(),
  });
  const dashboard = await openDashboard({
    env: (home) => ({ PATH: path, ...proof.env({ modelUrl: model.url, home }), ...proof.runEnv }),
    async prepare(root) {
      const home = join(root, 'home');
      for (const [name, content] of Object.entries(proof.files?.({ modelUrl: model.url, home }) ?? {})) {
        mkdirSync(dirname(join(home, name)), { recursive: true });
        writeFileSync(join(home, name), content);
      }
    },
  });
  try {
    const { page } = await dashboard.open();
    /** Says something, wants to make a file, and says what became of it. */
    const promptFor = (file: string) => {
      const { name, input } = proof.shellTool(`touch ${join(dashboard.work, file)}`);
      return `[[text I would make ${file}.]] [[tool ${name} ${JSON.stringify(input)}]] [[text That was ${file}.]]`;
    };
    const answer = async (file: string, button: RegExp) => {
      await page.getByText(`I would make ${file}.`, { exact: true }).waitFor();
      await page.getByLabel('What is asked for').getByText(`touch ${dashboard.work}`).first().waitFor();
      await page.getByRole('button', { name: button }).first().click();
      await page.getByText(`That was ${file}.`, { exact: true }).waitFor();
    };
    await beginSession(page, { prompt: promptFor('allowed.txt'), folder: dashboard.work, agent });
    await answer('allowed.txt', /^(?:Allow|Yes|Approve)\b/);
    if (!existsSync(join(dashboard.work, 'allowed.txt'))) throw new Error('what was allowed was not done');
    const message = page.getByLabel('Message', { exact: true });
    await message.fill(promptFor('denied.txt'));
    await message.press('Enter');
    await answer('denied.txt', /^(?:Deny|No)\b/);
    if (existsSync(join(dashboard.work, 'denied.txt'))) throw new Error('what was denied was done');
  } finally {
    await dashboard.stop();
    await model.close();
  }
}
