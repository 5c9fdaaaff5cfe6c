import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { executablePath, useDashboard } from './dashboards.ts';
import { EVERYTHING } from './everything.ts';

const SIZES = [
  { width: 390, height: 844 },
  { width: 844, height: 390 },
  { width: 768, height: 1024 },
  { width: 1280, height: 800 },
];
/** Minimum readable width of a truncated title. */
const READABLE_PX = 140;
const LONG_TITLE = 'Find out why the second page of the orders is empty';

async function send(page: Page, id: string, texts: readonly string[]): Promise<void> {
  const statuses = await page.evaluate(
    async ({ id, texts }) => {
      const found: number[] = [];
      for (const text of texts) {
        const answer = await fetch(`/api/v1/sessions/${id}/messages`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ text }),
        });
        found.push(answer.status);
      }
      return found;
    },
    { id, texts },
  );
  expect(statuses.filter((status) => status >= 300)).toEqual([]);
}

/** Whether an element is entirely inside the window and not clipped by a scroll container. */
async function isWhole(element: Locator): Promise<boolean> {
  return await element.evaluate((node) => {
    const { left, right, top, bottom, width, height } = node.getBoundingClientRect();
    const frames = [{ left: 0, right: innerWidth, top: 0, bottom: innerHeight }];
    for (let context = node.parentElement; context; context = context.parentElement)
      if (getComputedStyle(context).overflow !== 'visible') frames.push(context.getBoundingClientRect());
    return (
      width > 0 &&
      height > 0 &&
      frames.every((at) => left >= at.left - 1 && right <= at.right + 1 && top >= at.top - 1 && bottom <= at.bottom + 1)
    );
  });
}

describe.skipIf(executablePath === undefined)('layout', () => {
  const dashboard = useDashboard({ scripts: EVERYTHING });

  async function start(...more: string[]): Promise<string> {
    const { id } = await dashboard.amux('new', 'go', '-a', 'approving', '-C', dashboard.work, ...more);
    return String(id);
  }

  test.each([
    ['one message of 300 characters without a space', ['x'.repeat(300)]],
    ['25 messages', Array.from({ length: 25 }, (_, at) => `message ${at} of many, with some more text in it`)],
  ])('keeps the composer and all buttons in view with %s queued', async (_, texts) => {
    const id = await start();
    const { page, issues } = await dashboard.open();
    await page.goto(`${dashboard.url}/sessions/${id}`);
    await page.getByRole('log').getByText('Run npm test').first().waitFor();
    await send(page, id, texts);
    const rows = page.getByRole('list', { name: 'Queued messages' }).getByRole('listitem');
    await expect.poll(() => rows.count()).toBe(texts.length);
    await page.getByLabel('Message', { exact: true }).fill('a line\n'.repeat(40));
    for (const viewport of SIZES) {
      await page.setViewportSize(viewport);
      const name = `${viewport.width} x ${viewport.height}`;
      await expect.poll(() => isWhole(page.getByRole('button', { name: 'Queue' })), { message: name }).toBe(true);
      expect(await isWhole(page.getByLabel('Message', { exact: true })), name).toBe(true);
      expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth'), name).toBe(0);
      for (const row of [rows.first(), rows.last()]) {
        const button = row.getByRole('button', { name: 'Edit' });
        await button.scrollIntoViewIfNeeded();
        expect(await isWhole(button), `${name}: ${await row.textContent()}`).toBe(true);
      }
      const log = await page.getByRole('log').boundingBox();
      expect(log?.height ?? 0, `${name}: the conversation`).toBeGreaterThan(viewport.height / 8);
    }
    expect(issues).toEqual([]);
  });

  test('shows titles of sessions at every width', async () => {
    await start('--title', LONG_TITLE);
    await dashboard.amux('new', 'hello', '-a', 'demo', '-C', dashboard.work, '--title', LONG_TITLE);
    await dashboard.amux('run', '-a', 'demo', `hello ${LONG_TITLE}`, '--cwd', dashboard.work).catch(() => undefined);
    const { page, issues } = await dashboard.open();
    const narrow: string[] = [];
    for (const path of ['/', '/sessions', '/history', '/agents']) {
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.goto(`${dashboard.url}${path}`);
      await page.locator('main .row-title, main .card-session').first().waitFor();
      for (const width of [390, 761, 768, 820, 900, 1000, 1100, 1280]) {
        await page.setViewportSize({ width, height: 900 });
        const found = await page.evaluate<[string, number, boolean][]>(
          `[...document.querySelectorAll('main .row-title, main .card-session')].map((each) =>
            [each.textContent, each.clientWidth, each.scrollWidth > each.clientWidth])`,
        );
        expect(found.length).toBeGreaterThan(0);
        for (const [text, px, isCut] of found)
          if (isCut && px < READABLE_PX) narrow.push(`${path} at ${width}: "${text}" has ${px} px`);
      }
    }
    expect(narrow).toEqual([]);
    expect(issues).toEqual([]);
  });
});
