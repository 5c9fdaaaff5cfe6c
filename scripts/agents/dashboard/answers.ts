import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findSerious, loadAxe } from '../../../packages/web/test/find-serious.ts';
import type { DashboardCase } from './dashboard-case.ts';
import { callOf, expectText, NO, requestFor, SLOW, type Stage, start, until, wantsFile, YES } from './stage.ts';

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

/** Requests answered in the inbox and in the session, at once and later, by mouse and by keyboard. */
export const answerCases: readonly DashboardCase[] = [
  {
    id: 'allow',
    async run(stage) {
      const page = await stage.freshPage();
      await start(stage, page, wantsFile(stage, 'allowed.txt'));
      await expectText(page, 'I would create allowed.txt.');
      await page.getByLabel('Request details').getByText(`touch ${stage.dashboard.work}`).first().waitFor();
      await page.getByRole('button', { name: YES }).first().click();
      await expectText(page, 'That was allowed.txt.');
      assertCreated(stage, 'allowed.txt');
    },
  },
  {
    id: 'deny',
    async run(stage) {
      const page = await stage.freshPage();
      await start(stage, page, wantsFile(stage, 'denied.txt'));
      await page.getByRole('button', { name: NO }).first().click(SLOW);
      await expectText(page, 'That was denied.txt.');
      assert.ok(!isCreated(stage, 'denied.txt'), 'a denied command ran');
    },
  },
  {
    id: 'later',
    async run(stage) {
      const page = await stage.freshPage();
      await start(stage, page, wantsFile(stage, 'postponed.txt'));
      await requestFor(page, 'postponed.txt').first().waitFor(SLOW);
      const session = page.url();
      await stage.freshPage();
      const card = requestFor(page, 'postponed.txt');
      await card.getByRole('button', { name: 'Snooze' }).click();
      await card.waitFor({ state: 'detached' });
      await page.goto(session);
      await page.getByRole('button', { name: YES }).first().click();
      await expectText(page, 'That was postponed.txt.');
      assertCreated(stage, 'postponed.txt');
    },
  },
  {
    id: 'question',
    needs: ({ can, setup }) => can.supportsQuestions && setup.questionTool !== undefined,
    async run(stage) {
      const page = await stage.freshPage();
      const question = callOf(stage.setup.questionTool!('Which way shall I go?', ['Left', 'Right']));
      await start(stage, page, `${question} `);
      await page.getByRole('button', { name: /^Left\b/ }).click(SLOW);
      await page
        .getByRole('log')
        .getByText(/tool result: .*Left/)
        .first()
        .waitFor(SLOW);
    },
  },
  {
    id: 'phone',
    async run(stage) {
      const { page } = await stage.dashboard.open(PHONE);
      page.setDefaultTimeout(SLOW.timeout);
      try {
        await start(stage, page, wantsFile(stage, 'phone.txt'));
        await requestFor(page, 'phone.txt').first().waitFor();
        await page.goto(stage.dashboard.url);
        const card = requestFor(page, 'phone.txt');
        await card.waitFor();
        const width = await page.evaluate<number>('document.documentElement.scrollWidth');
        assert.ok(width <= PHONE.viewport.width, `the page is ${width} wide`);
        await card.getByRole('button', { name: YES }).first().tap();
        await card.waitFor({ state: 'detached' });
        await waitUntilCreated(stage, 'phone.txt');
      } finally {
        await page.context().close();
      }
    },
  },
  {
    id: 'keys',
    async run(stage) {
      const page = await stage.freshPage();
      await start(stage, page, wantsFile(stage, 'keys.txt'));
      await requestFor(page, 'keys.txt').first().waitFor();
      await page.keyboard.press('Escape');
      await page.keyboard.press('g');
      await page.keyboard.press('i');
      const card = requestFor(page, 'keys.txt');
      await card.waitFor();
      const isSelected = () => card.evaluate((element) => element.contains(element.ownerDocument.activeElement));
      for (let presses = 0; presses < 20 && !(await isSelected()); presses += 1) await page.keyboard.press('j');
      await page.keyboard.press('a');
      await card.waitFor({ state: 'detached' });
      await waitUntilCreated(stage, 'keys.txt');
    },
  },
  {
    id: 'accessible',
    async run(stage) {
      for (const colorScheme of ['light', 'dark'] as const) {
        const { page } = await stage.dashboard.open({ colorScheme, bypassCSP: true });
        page.setDefaultTimeout(SLOW.timeout);
        try {
          await loadAxe(page);
          const file = `heard-${colorScheme}.txt`;
          const text = '[[text # A heading\n\n- a list with `code`\n\n| a | table |\n|---|---|\n| of | two |]]';
          await start(stage, page, `${text} ${wantsFile(stage, file)}`);
          await page.getByRole('button', { name: YES }).first().waitFor();
          await page.reload();
          await page.getByRole('button', { name: YES }).first().waitFor();
          const whilePending = await findSerious(page);
          await page.getByRole('button', { name: YES }).first().click();
          await expectText(page, `That was ${file}.`);
          assert.deepEqual([...whilePending, ...(await findSerious(page))], [], colorScheme);
        } finally {
          await page.context().close();
        }
      }
    },
  },
];

function isCreated({ dashboard }: Stage, file: string): boolean {
  return existsSync(join(dashboard.work, file));
}

function assertCreated(stage: Stage, file: string): void {
  assert.ok(isCreated(stage, file), 'an allowed command did not run');
}

async function waitUntilCreated(stage: Stage, file: string): Promise<void> {
  await until(() => isCreated(stage, file), `${file} was not created`);
}
