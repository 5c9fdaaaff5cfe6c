import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { beginSession } from '../../../packages/web/test/begin-session.ts';
import type { DashboardCase } from './dashboard-case.ts';
import { askedWith, assertHeard, PATIENT, type Stage, say, sees, until, YES } from './stage.ts';

const LIMIT_MS = 120_000;

/** Around a conversation: its folder, the agent's own screen, and what the agent has stored by itself. */
export const workCases: readonly DashboardCase[] = [
  {
    id: 'worktree',
    async run(stage) {
      const folder = makeRepository(stage);
      const page = await stage.freshPage();
      const { name, input } = stage.proof.shellTool('echo grafted > grafted.txt');
      const prompt = `[[tool ${name} ${JSON.stringify(input)}]] [[text It is grafted.]]`;
      await beginSession(page, { prompt, folder, agent: stage.agent, worktree: true });
      await page.getByRole('button', { name: YES }).first().click(PATIENT);
      await sees(page, 'It is grafted.');
      await page.getByRole('tab', { name: 'Changes' }).click();
      await page.getByRole('region', { name: 'grafted.txt' }).getByText('grafted', { exact: true }).waitFor();
      for (const step of ['Commit', 'Merge'] as const) {
        await page.getByRole('button', { name: `${step}…` }).click();
        const dialog = page.getByRole('dialog', { name: step });
        await dialog.getByLabel('Message of the commit').fill(`${step} of what was grafted`);
        await dialog.getByRole('button', { name: step }).click();
        await dialog.waitFor({ state: 'detached' });
        await page
          .getByText(step === 'Commit' ? /^Committed [0-9a-f]{10}/ : /^Merged into main$/)
          .first()
          .waitFor();
      }
      assert.equal(readFileSync(join(folder, 'grafted.txt'), 'utf8'), 'grafted\n');
    },
  },
  {
    id: 'terminal',
    needs: ({ proof }) => typeof proof.terminal === 'object',
    async run(stage) {
      const { agent, dashboard, proof } = stage;
      assert.ok(typeof proof.terminal === 'object');
      const page = await stage.freshPage();
      const first = '[[text A screen of my own.]] Begin.';
      await beginSession(page, { prompt: first, folder: dashboard.work, agent, terminal: true });
      await waitForScreen(page, proof.terminal.shows);
      await waitForScreen(page, /(?<!text )A screen of my own\./);
      await page.getByRole('textbox', { name: 'Terminal' }).focus();
      await page.keyboard.type('[[text Typed from afar.]]', { delay: 20 });
      await waitForScreen(page, 'text Typed from afar.');
      await page.keyboard.press('Enter');
      await waitForScreen(page, /(?<!text )Typed from afar\./);
      await page.reload();
      await waitForScreen(page, /(?<!text )Typed from afar\./);
      await page.getByRole('button', { name: 'Actions' }).click();
      await page.getByRole('menuitem', { name: 'Stop' }).click();
      await page.getByText('Its program has ended').waitFor();
    },
  },
  {
    id: 'history',
    needs: ({ proof }) => proof.byHand !== undefined,
    async run(stage) {
      await runByHand(stage, 'Remember the word quizzaciously. [[text It is kept in mind.]]');
      const page = await stage.freshPage();
      await page.goto(`${stage.dashboard.url}/history`);
      const search = page.getByRole('searchbox').or(page.getByRole('textbox', { name: /Search|Find/ }));
      await search.first().fill('quizzaciously');
      await page
        .getByRole('link', { name: /quizzaciously/ })
        .first()
        .click();
      await page.getByText('It is kept in mind.').first().waitFor();
      await page.getByRole('button', { name: 'Go on with it here' }).click();
      await page.getByLabel('Message', { exact: true }).waitFor();
      await say(page, '[[text And I still know it.]]');
      await sees(page, 'And I still know it.');
      assertHeard(await askedWith(stage, 'And I still know it.'), 'quizzaciously');
    },
  },
  {
    // All of its cases are what the rest of this step shows; here it is that they are seen as they come, and end.
    id: 'verify',
    async run({ dashboard, agent, freshPage }) {
      const page = await freshPage();
      await page.goto(`${dashboard.url}/agents/${agent}`);
      await page.getByRole('button', { name: 'Verify…' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'Verify', exact: true }).click();
      await dialog.getByRole('row').filter({ hasText: 'holds' }).nth(2).waitFor();
      assert.equal(await dialog.getByRole('row').filter({ hasText: 'fails' }).count(), 0, 'a case fails here');
      await dialog.getByRole('button', { name: 'Stop it' }).click();
      await dialog.getByText('it was cancelled').waitFor();
    },
  },
];

function makeRepository({ dashboard }: Stage): string {
  const folder = join(dashboard.work, '..', 'repository');
  mkdirSync(folder, { recursive: true });
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Proof', '-c', 'user.email=proof@example.com', ...args], { cwd: folder });
  git('init', '-q', '-b', 'main');
  for (const [name, value] of [
    ['user.name', 'Proof'],
    ['user.email', 'proof@example.com'],
  ] as const)
    git('config', name, value);
  writeFileSync(join(folder, 'stem.txt'), 'stem\n');
  git('add', '.');
  git('commit', '-q', '-m', 'The stem');
  return folder;
}

/** What is on the screen of xterm, without the breaks of lines. */
async function waitForScreen(page: Page, what: string | RegExp): Promise<void> {
  let seen = '';
  const isThere = async () => {
    seen = ((await page.locator('.xterm-rows').textContent(PATIENT)) ?? '').replaceAll(/[\s\u00a0]+/g, ' ');
    return typeof what === 'string' ? seen.includes(what) : what.test(seen);
  };
  await until(isThere, `the screen does not show ${what}`).catch((error: unknown) => {
    throw new Error(`${String(error)}: ${seen.slice(-1500)}`);
  });
}

/** Without agent-mux, as people do in a terminal. */
async function runByHand({ proof, agent, env, home, dashboard }: Stage, prompt: string): Promise<void> {
  const { args, stdin, env: more } = proof.byHand!;
  const options = { env: { ...env, HOME: home, ...more }, cwd: dashboard.work, timeout: LIMIT_MS };
  const running = promisify(execFile)(agent, [...args(prompt, dashboard.work)], options);
  running.child.stdin?.end(stdin ? prompt : '');
  await running;
}
