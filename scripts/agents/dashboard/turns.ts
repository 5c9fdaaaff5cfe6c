import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ModelRequest, scriptByPrompt } from '@agent-mux/testkit';
import type { Page } from 'playwright-core';
import type { DashboardCase } from './dashboard-case.ts';
import {
  assertReceived,
  callOf,
  expectText,
  requestFor,
  requestWith,
  SLOW,
  type Stage,
  say,
  start,
  wantsFile,
  YES,
} from './stage.ts';

const UNREACHABLE = 'Can’t reach the daemon';

/** Streams numbered chunks: `c0`, `c1`, and so on. */
const streams = (count: number, delay: number) => `[[chunks ${count} delay ${delay} size 6]]`;

/** Turns that stream, are interrupted, steered, queued, or survive failures. */
export const turnCases: readonly DashboardCase[] = [
  {
    id: 'stream',
    async run(stage) {
      const page = await stage.freshPage();
      await start(stage, page, streams(40, 50));
      await page.getByText(/^c0 /).waitFor(SLOW);
      await page.getByRole('button', { name: 'Interrupt' }).waitFor();
      await waitForWhole(page, 40);
      await page.getByRole('button', { name: 'Interrupt' }).waitFor({ state: 'detached' });
    },
  },
  {
    id: 'interrupt',
    async run(stage) {
      const page = await stage.freshPage();
      await start(stage, page, streams(3000, 20));
      await page.getByText(/^c0 /).waitFor(SLOW);
      await page.getByRole('button', { name: 'Interrupt' }).click();
      await page.getByText(/^interrupted/).waitFor();
      await say(page, '[[text I am here again.]]');
      await expectText(page, 'I am here again.');
    },
  },
  {
    id: 'steer',
    needs: ({ can }) => can.supportsSteer,
    async run(stage) {
      const page = await stage.freshPage();
      const gate = join(stage.dashboard.work, 'gate');
      // A command that only sleeps would need no approval.
      const waiting = stage.setup.shellTool(`touch ${gate}-reached; while [ ! -e ${gate} ]; do sleep 0.1; done`);
      await start(stage, page, `[[text I wait.]] ${callOf(waiting)} [[text I received no message.]]`);
      await page.getByRole('button', { name: YES }).first().click(SLOW);
      await page.getByRole('button', { name: YES }).first().waitFor({ state: 'detached' });
      await page.getByLabel('Message', { exact: true }).fill('Turn to the left.');
      await page.getByRole('button', { name: 'Steer' }).click();
      await page.getByRole('log').getByText('steered', { exact: true }).waitFor();
      // An agent may send the steering message along with the tool result.
      const byPrompt = scriptByPrompt();
      const isSteered = ({ messages }: ModelRequest) => messages.some(({ text }) => text.includes('Turn to the left.'));
      stage.model.setScenario((request, turn) => (isSteered(request) ? 'To the left it is.' : byPrompt(request, turn)));
      writeFileSync(gate, '');
      try {
        await expectText(page, 'To the left it is.');
      } finally {
        stage.model.setScenario(byPrompt);
      }
    },
  },
  {
    id: 'queue',
    async run(stage) {
      const page = await stage.freshPage();
      await start(stage, page, wantsFile(stage, 'queued.txt'));
      await page.getByRole('button', { name: YES }).first().waitFor(SLOW);
      await say(page, '[[text Then the first.]]');
      await say(page, '[[text Then the second.]]');
      const queue = page.getByRole('list', { name: 'Queued messages' });
      const second = queue.getByRole('listitem').filter({ hasText: 'the second' });
      await queue.getByText('the first').waitFor();
      await second.getByRole('button', { name: 'Edit' }).click();
      await second.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: YES }).first().click();
      await expectText(page, 'Then the first.');
      await queue.waitFor({ state: 'detached' });
      const { requests } = stage.model;
      assert.ok(!requests.some(({ prompt }) => prompt.includes('the second')), 'a cancelled message was sent');
    },
  },
  {
    id: 'killed',
    async run(stage) {
      const { dashboard } = stage;
      const page = await stage.freshPage();
      await start(stage, page, streams(120, 50));
      await page.getByText(/^c0 /).waitFor(SLOW);
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
      await expectText(page, 'Back with all that was said.');
      assertReceived(await requestWith(stage, 'Back with all that was said.'), 'c119');
    },
  },
  {
    id: 'asked-over-a-kill',
    async run(stage) {
      const { dashboard } = stage;
      const page = await stage.freshPage();
      await start(stage, page, wantsFile(stage, 'outlived.txt'));
      await requestFor(page, 'outlived.txt').first().waitFor(SLOW);
      await dashboard.kill();
      await dashboard.start();
      await page.getByRole('button', { name: YES }).first().click();
      await expectText(page, 'That was outlived.txt.');
      assert.ok(existsSync(join(dashboard.work, 'outlived.txt')), 'an allowed command did not run');
    },
  },
  {
    id: 'offline',
    async run(stage) {
      const page = await stage.freshPage();
      await start(stage, page, streams(80, 50));
      await page.getByText(/^c0 /).waitFor(SLOW);
      await page.context().setOffline(true);
      try {
        await say(page, '[[text Out of the tunnel.]]');
        const message = page.getByLabel('Message', { exact: true });
        // The unsent message is restored.
        await page.waitForFunction(
          (element) => element instanceof HTMLTextAreaElement && element.value.includes('tunnel'),
          await message.elementHandle(),
        );
      } finally {
        await page.context().setOffline(false);
      }
      await page.getByLabel('Message', { exact: true }).press('Enter');
      await expectText(page, 'Out of the tunnel.');
      await waitForWhole(page, 80);
      assertSentOnce(stage, 'Out of the tunnel.');
    },
  },
];

/** Waits for the complete answer and asserts that it appears once. */
async function waitForWhole(page: Page, count: number): Promise<void> {
  const text = Array.from({ length: count }, (_, at) => `c${at} `.padEnd(5, 'x')).join(' ');
  await page.getByText(text, { exact: true }).waitFor(SLOW);
  const shown = ((await page.getByRole('log').textContent()) ?? '').replaceAll(/\s+/g, ' ');
  assert.equal(shown.split('c0 xx c1 ').length, 2, `the answer appears ${shown.split('c0 xx c1 ').length - 1} times`);
}

/** Asserts that a message was sent once although sending was tried twice. */
function assertSentOnce({ model }: Stage, text: string): void {
  const sent = model.requests.filter(({ auxiliary, prompt }) => !auxiliary && prompt.includes(text));
  assert.equal(sent.length, 1, `the message was sent ${sent.length} times`);
}
