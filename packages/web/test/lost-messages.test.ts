import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { executablePath, startSession, useDashboard } from './dashboards.ts';

const idOf = (page: Page) => new URL(page.url()).pathname.split('/').at(-1) ?? '';

/** Steers during a turn, which the demo does not support: the message is stored as failed. */
async function failToSteer(page: Page, text: string): Promise<number> {
  const body = JSON.stringify({ text, mode: 'steer' });
  return page.evaluate<number>(`fetch('/api/v1/sessions/${idOf(page)}/messages', {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: ${JSON.stringify(body)},
  }).then(({ status }) => status)`);
}

describe.skipIf(executablePath === undefined)('undelivered message', () => {
  const dashboard = useDashboard();
  const queueOf = (page: Page) => page.getByRole('list', { name: 'Queued messages' });

  test('is resent only once when several tabs request it', async () => {
    const { page } = await dashboard.open();
    await startSession(page, { prompt: 'write later.txt', folder: dashboard.work });
    await page.getByRole('article', { name: /Write/ }).waitFor();
    expect(await failToSteer(page, 'hello, once more')).toBeGreaterThanOrEqual(400);
    const row = queueOf(page).getByRole('listitem').filter({ hasText: 'hello, once more' });
    await row.getByText('not sent').waitFor();
    const other = await page.context().newPage();
    await other.goto(page.url());
    const same = queueOf(other).getByRole('listitem').filter({ hasText: 'hello, once more' });
    await same.getByText('not sent').waitFor();
    // Find the buttons of both tabs before clicking: the first click removes the other button.
    const found = [row, same].map((each) => each.getByRole('button', { name: 'Send again' }).elementHandle());
    const buttons = await Promise.all(found);
    await Promise.all(buttons.map((button) => button?.dispatchEvent('click')));
    await row.getByText('queued').waitFor();
    await row.getByText('not sent').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText('Hello again!').waitFor();
    await page.reload();
    await page.getByText('Hello again!').waitFor();
    expect(await page.getByRole('log').getByText('hello, once more').count()).toBe(1);
    expect(await queueOf(page).count()).toBe(0);
  });

  test('stays dismissed after a reload', async () => {
    const { page } = await dashboard.open();
    await startSession(page, { prompt: 'slow', folder: dashboard.work });
    await page.getByText('1 2 3').waitFor();
    const keeper = await page.evaluate<number>(
      `fetch('/api/v1/sessions/${idOf(page)}').then((answer) => answer.json()).then(({ keeperPid }) => keeperPid)`,
    );
    process.kill(keeper, 'SIGKILL');
    const row = queueOf(page).getByRole('listitem').filter({ hasText: 'slow' });
    await row.getByText('may not have arrived').waitFor({ timeout: 60_000 });
    await page.reload();
    await row.getByRole('button', { name: 'Dismiss' }).click();
    await row.waitFor({ state: 'detached' });
    await page.reload();
    await page.getByLabel('Message', { exact: true }).waitFor();
    await page.getByText('1 2 3').waitFor();
    expect(await queueOf(page).count()).toBe(0);
  });
});
