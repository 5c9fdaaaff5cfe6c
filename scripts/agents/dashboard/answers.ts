import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findSerious, loadAxe } from '../../../packages/web/test/find-serious.ts';
import type { DashboardCase } from './dashboard-case.ts';
import { begin, callOf, NO, PATIENT, requestFor, type Stage, sees, until, wantsFile, YES } from './stage.ts';

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

/** What the agent asks is answered: here and there, at once and later, by hand and by keys. */
export const answerCases: readonly DashboardCase[] = [
  {
    id: 'allow',
    async run(stage) {
      const page = await stage.freshPage();
      await begin(stage, page, wantsFile(stage, 'allowed.txt'));
      await sees(page, 'I would make allowed.txt.');
      await page.getByLabel('What is asked for').getByText(`touch ${stage.dashboard.work}`).first().waitFor();
      await page.getByRole('button', { name: YES }).first().click();
      await sees(page, 'That was allowed.txt.');
      assertMade(stage, 'allowed.txt');
    },
  },
  {
    id: 'deny',
    async run(stage) {
      const page = await stage.freshPage();
      await begin(stage, page, wantsFile(stage, 'denied.txt'));
      await page.getByRole('button', { name: NO }).first().click(PATIENT);
      await sees(page, 'That was denied.txt.');
      assert.ok(!isMade(stage, 'denied.txt'), 'what was denied was done');
    },
  },
  {
    id: 'later',
    async run(stage) {
      const page = await stage.freshPage();
      await begin(stage, page, wantsFile(stage, 'postponed.txt'));
      await requestFor(page, 'postponed.txt').first().waitFor(PATIENT);
      const session = page.url();
      await stage.freshPage();
      const card = requestFor(page, 'postponed.txt');
      await card.getByRole('button', { name: 'Later' }).click();
      await card.waitFor({ state: 'detached' });
      await page.goto(session);
      await page.getByRole('button', { name: YES }).first().click();
      await sees(page, 'That was postponed.txt.');
      assertMade(stage, 'postponed.txt');
    },
  },
  {
    id: 'question',
    needs: ({ can, proof }) => can.supportsQuestions && proof.questionTool !== undefined,
    async run(stage) {
      const page = await stage.freshPage();
      const question = callOf(stage.proof.questionTool!('Which way shall I go?', ['Left', 'Right']));
      await begin(stage, page, `${question} `);
      await page.getByRole('button', { name: /^Left\b/ }).click(PATIENT);
      await page
        .getByRole('log')
        .getByText(/tool result: .*Left/)
        .first()
        .waitFor(PATIENT);
    },
  },
  {
    id: 'phone',
    async run(stage) {
      const { page } = await stage.dashboard.open(PHONE);
      page.setDefaultTimeout(PATIENT.timeout);
      try {
        await begin(stage, page, wantsFile(stage, 'phone.txt'));
        await requestFor(page, 'phone.txt').first().waitFor();
        await page.goto(stage.dashboard.url);
        const card = requestFor(page, 'phone.txt');
        await card.waitFor();
        const width = await page.evaluate<number>('document.documentElement.scrollWidth');
        assert.ok(width <= PHONE.viewport.width, `the page is ${width} wide`);
        await card.getByRole('button', { name: YES }).first().tap();
        await card.waitFor({ state: 'detached' });
        await waitUntilMade(stage, 'phone.txt');
      } finally {
        await page.context().close();
      }
    },
  },
  {
    id: 'keys',
    async run(stage) {
      const page = await stage.freshPage();
      await begin(stage, page, wantsFile(stage, 'keys.txt'));
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
      await waitUntilMade(stage, 'keys.txt');
    },
  },
  {
    id: 'accessible',
    async run(stage) {
      for (const colorScheme of ['light', 'dark'] as const) {
        const { page } = await stage.dashboard.open({ colorScheme, bypassCSP: true });
        page.setDefaultTimeout(PATIENT.timeout);
        try {
          await loadAxe(page);
          const file = `heard-${colorScheme}.txt`;
          const words = '[[text # A heading\n\n- a list with `code`\n\n| a | table |\n|---|---|\n| of | two |]]';
          await begin(stage, page, `${words} ${wantsFile(stage, file)}`);
          await page.getByRole('button', { name: YES }).first().waitFor();
          await page.reload();
          await page.getByRole('button', { name: YES }).first().waitFor();
          const asked = await findSerious(page);
          await page.getByRole('button', { name: YES }).first().click();
          await sees(page, `That was ${file}.`);
          assert.deepEqual([...asked, ...(await findSerious(page))], [], colorScheme);
        } finally {
          await page.context().close();
        }
      }
    },
  },
];

function isMade({ dashboard }: Stage, file: string): boolean {
  return existsSync(join(dashboard.work, file));
}

function assertMade(stage: Stage, file: string): void {
  assert.ok(isMade(stage, file), 'what was allowed was not done');
}

async function waitUntilMade(stage: Stage, file: string): Promise<void> {
  await until(() => isMade(stage, file), `${file} is not made`);
}
