import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ModelRequest, scriptByPrompt } from '@agent-mux/testkit';
import type { Page } from 'playwright-core';
import type { DashboardCase } from './dashboard-case.ts';
import {
  askedWith,
  assertHeard,
  begin,
  callOf,
  PATIENT,
  requestFor,
  type Stage,
  say,
  sees,
  wantsFile,
  YES,
} from './stage.ts';

const UNREACHABLE = 'The daemon cannot be reached';

/** Numbered words, one after the other: `c0`, `c1`, and so on. */
const streams = (count: number, delay: number) => `[[chunks ${count} delay ${delay} size 6]]`;

/** A turn, and whatever befalls it. */
export const turnCases: readonly DashboardCase[] = [
  {
    id: 'stream',
    async run(stage) {
      const page = await stage.freshPage();
      await begin(stage, page, streams(40, 50));
      await page.getByText(/^c0 /).waitFor(PATIENT);
      await page.getByRole('button', { name: 'Interrupt' }).waitFor();
      await waitForWhole(page, 40);
      await page.getByRole('button', { name: 'Interrupt' }).waitFor({ state: 'detached' });
    },
  },
  {
    id: 'interrupt',
    async run(stage) {
      const page = await stage.freshPage();
      await begin(stage, page, streams(3000, 20));
      await page.getByText(/^c0 /).waitFor(PATIENT);
      await page.getByRole('button', { name: 'Interrupt' }).click();
      await page.getByText(/^interrupted/).waitFor();
      await say(page, '[[text I am here again.]]');
      await sees(page, 'I am here again.');
    },
  },
  {
    id: 'steer',
    needs: ({ can }) => can.supportsSteer,
    async run(stage) {
      const page = await stage.freshPage();
      const gate = join(stage.dashboard.work, 'gate');
      // One that only waits would not be asked about.
      const waiting = stage.proof.shellTool(`touch ${gate}-reached; while [ ! -e ${gate} ]; do sleep 0.1; done`);
      await begin(stage, page, `[[text I wait.]] ${callOf(waiting)} [[text Nobody has told me anything.]]`);
      await page.getByRole('button', { name: YES }).first().click(PATIENT);
      await page.getByRole('button', { name: YES }).first().waitFor({ state: 'detached' });
      await page.getByLabel('Message', { exact: true }).fill('Turn to the left.');
      await page.getByRole('button', { name: 'Steer' }).click();
      await page.getByText('into the running turn').waitFor();
      // An agent may tell its model beside the result of the tool.
      const byPrompt = scriptByPrompt();
      const isSteered = ({ messages }: ModelRequest) => messages.some(({ text }) => text.includes('Turn to the left.'));
      stage.model.setScenario((request, turn) => (isSteered(request) ? 'To the left it is.' : byPrompt(request, turn)));
      writeFileSync(gate, '');
      try {
        await sees(page, 'To the left it is.');
      } finally {
        stage.model.setScenario(byPrompt);
      }
    },
  },
  {
    id: 'queue',
    async run(stage) {
      const page = await stage.freshPage();
      await begin(stage, page, wantsFile(stage, 'queued.txt'));
      await page.getByRole('button', { name: YES }).first().waitFor(PATIENT);
      await say(page, '[[text Then the first.]]');
      await say(page, '[[text Then the second.]]');
      const queue = page.getByRole('list', { name: 'Messages that wait' });
      const second = queue.getByRole('listitem').filter({ hasText: 'the second' });
      await queue.getByText('the first').waitFor();
      await second.getByRole('button', { name: 'Take back' }).click();
      await second.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: YES }).first().click();
      await sees(page, 'Then the first.');
      await queue.waitFor({ state: 'detached' });
      const { requests } = stage.model;
      assert.ok(!requests.some(({ prompt }) => prompt.includes('the second')), 'what was taken back was said');
    },
  },
  {
    id: 'killed',
    async run(stage) {
      const { dashboard } = stage;
      const page = await stage.freshPage();
      await begin(stage, page, streams(120, 50));
      await page.getByText(/^c0 /).waitFor(PATIENT);
      await dashboard.kill();
      try {
        await page.getByText(UNREACHABLE).waitFor();
      } finally {
        await dashboard.start();
      }
      await page.getByText(UNREACHABLE).waitFor({ state: 'detached' });
      await waitForWhole(page, 120);
      await page.getByRole('button', { name: 'Actions' }).click();
      await page.getByRole('menuitem', { name: 'Stop' }).click();
      await page.getByRole('button', { name: 'Restore' }).click();
      await page.getByRole('button', { name: 'Restore' }).waitFor({ state: 'detached' });
      await say(page, '[[text Back with all that was said.]]');
      await sees(page, 'Back with all that was said.');
      assertHeard(await askedWith(stage, 'Back with all that was said.'), 'c119');
    },
  },
  {
    id: 'asked-over-a-kill',
    async run(stage) {
      const { dashboard } = stage;
      const page = await stage.freshPage();
      await begin(stage, page, wantsFile(stage, 'outlived.txt'));
      await requestFor(page, 'outlived.txt').first().waitFor(PATIENT);
      await dashboard.kill();
      await dashboard.start();
      await page.getByRole('button', { name: YES }).first().click();
      await sees(page, 'That was outlived.txt.');
      assert.ok(existsSync(join(dashboard.work, 'outlived.txt')), 'what was allowed was not done');
    },
  },
  {
    id: 'offline',
    async run(stage) {
      const page = await stage.freshPage();
      await begin(stage, page, streams(80, 50));
      await page.getByText(/^c0 /).waitFor(PATIENT);
      await page.context().setOffline(true);
      try {
        await say(page, '[[text Out of the tunnel.]]');
        const message = page.getByLabel('Message', { exact: true });
        // It could not be sent, and is not lost.
        await page.waitForFunction(
          (element) => element instanceof HTMLTextAreaElement && element.value.includes('tunnel'),
          await message.elementHandle(),
        );
      } finally {
        await page.context().setOffline(false);
      }
      await page.getByLabel('Message', { exact: true }).press('Enter');
      await sees(page, 'Out of the tunnel.');
      await waitForWhole(page, 80);
      assertCounted(stage, 'Out of the tunnel.');
    },
  },
];

/** All of it is there, in its order, and none of it twice. */
async function waitForWhole(page: Page, count: number): Promise<void> {
  const words = Array.from({ length: count }, (_, at) => `c${at} `.padEnd(5, 'x')).join(' ');
  await page.getByText(words, { exact: true }).waitFor(PATIENT);
  const shown = ((await page.getByRole('log').textContent()) ?? '').replaceAll(/\s+/g, ' ');
  assert.equal(shown.split('c0 xx c1 ').length, 2, `the answer is there ${shown.split('c0 xx c1 ').length - 1} times`);
}

/** Said once, though it was tried twice. */
function assertCounted({ model }: Stage, text: string): void {
  const said = model.requests.filter(({ auxiliary, prompt }) => !auxiliary && prompt.includes(text));
  assert.equal(said.length, 1, `it was said ${said.length} times`);
}
