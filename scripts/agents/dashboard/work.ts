import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { startSession } from '../../../packages/web/test/start-session.ts';
import type { DashboardCase } from './dashboard-case.ts';
import { assertReceived, expectText, requestWith, SLOW, type Stage, say, until, YES } from './stage.ts';

const LIMIT_MS = 120_000;

/** Worktrees, the agent's terminal UI, stored sessions and verification. */
export const workCases: readonly DashboardCase[] = [
  {
    id: 'worktree',
    async run(stage) {
      const folder = createRepository(stage);
      const page = await stage.freshPage();
      const { name, input } = stage.setup.shellTool('echo grafted > grafted.txt');
      const prompt = `[[tool ${name} ${JSON.stringify(input)}]] [[text It is grafted.]]`;
      await startSession(page, { prompt, folder, agent: stage.agent, worktree: true });
      await page.getByRole('button', { name: YES }).first().click(SLOW);
      await expectText(page, 'It is grafted.');
      await page.getByRole('tab', { name: 'Changes' }).click();
      await page.getByRole('region', { name: 'grafted.txt' }).getByText('grafted', { exact: true }).waitFor();
      for (const step of ['Commit', 'Merge'] as const) {
        await page.getByRole('button', { name: `${step}…` }).click();
        const dialog = page.getByRole('dialog', { name: step });
        await dialog.getByLabel('Commit message').fill(`${step} of what was grafted`);
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
    needs: ({ setup }) => typeof setup.terminal === 'object',
    async run(stage) {
      const { agent, dashboard, setup } = stage;
      assert.ok(typeof setup.terminal === 'object');
      const page = await stage.freshPage();
      const first = '[[text A screen of my own.]] Start.';
      await startSession(page, { prompt: first, folder: dashboard.work, agent, terminal: true });
      await waitForScreen(page, setup.terminal.shows);
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
      await page.getByText('The program exited').waitFor();
    },
  },
  {
    id: 'history',
    needs: ({ setup }) => setup.unmanaged !== undefined,
    async run(stage) {
      await runDirectly(stage, 'Remember the word quizzaciously. [[text It is kept in mind.]]');
      const page = await stage.freshPage();
      await page.goto(`${stage.dashboard.url}/history`);
      const search = page.getByRole('searchbox').or(page.getByRole('textbox', { name: /Search|Find/ }));
      await search.first().fill('quizzaciously');
      await page
        .getByRole('link', { name: /quizzaciously/ })
        .first()
        .click();
      await page.getByText('It is kept in mind.').first().waitFor();
      await page.getByRole('button', { name: 'Continue here' }).click();
      await page.getByLabel('Message', { exact: true }).waitFor();
      await say(page, '[[text And I still know it.]]');
      await expectText(page, 'And I still know it.');
      assertReceived(await requestWith(stage, 'And I still know it.'), 'quizzaciously');
    },
  },
  {
    // The cases themselves run in other jobs; this one checks that results appear as they come and that it can be
    // stopped.
    id: 'verify',
    async run({ dashboard, agent, freshPage }) {
      const page = await freshPage();
      await page.goto(`${dashboard.url}/agents/${agent}`);
      await page.getByRole('button', { name: 'Verify…' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'Verify', exact: true }).click();
      await dialog.getByRole('row').filter({ hasText: 'passed' }).nth(2).waitFor();
      assert.equal(await dialog.getByRole('row').filter({ hasText: 'failed' }).count(), 0, 'a case failed');
      await dialog.getByRole('button', { name: 'Stop', exact: true }).click();
      await dialog.getByText('the job was cancelled').waitFor();
    },
  },
];

function createRepository({ dashboard }: Stage): string {
  const folder = join(dashboard.work, '..', 'repository');
  mkdirSync(folder, { recursive: true });
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Verify', '-c', 'user.email=verify@example.com', ...args], { cwd: folder });
  git('init', '-q', '-b', 'main');
  for (const [name, value] of [
    ['user.name', 'Verify'],
    ['user.email', 'verify@example.com'],
  ] as const)
    git('config', name, value);
  writeFileSync(join(folder, 'stem.txt'), 'stem\n');
  git('add', '.');
  git('commit', '-q', '-m', 'The stem');
  return folder;
}

/** Waits for text on the xterm screen, ignoring line breaks. */
async function waitForScreen(page: Page, what: string | RegExp): Promise<void> {
  let seen = '';
  const isThere = async () => {
    seen = ((await page.locator('.xterm-rows').textContent(SLOW)) ?? '').replaceAll(/[\s\u00a0]+/g, ' ');
    return typeof what === 'string' ? seen.includes(what) : what.test(seen);
  };
  await until(isThere, `the screen does not show ${what}`).catch((error: unknown) => {
    throw new Error(`${String(error)}: ${seen.slice(-1500)}`);
  });
}

/** Runs the agent without agent-mux, as users do in a terminal. */
async function runDirectly({ setup, agent, env, home, dashboard }: Stage, prompt: string): Promise<void> {
  const { args, stdin, env: more } = setup.unmanaged!;
  const options = { env: { ...env, HOME: home, ...more }, cwd: dashboard.work, timeout: LIMIT_MS };
  const running = promisify(execFile)(agent, [...args(prompt, dashboard.work)], options);
  running.child.stdin?.end(stdin ? prompt : '');
  await running;
}
