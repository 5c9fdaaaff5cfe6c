import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { executablePath, startSession, useDashboard } from './dashboards.ts';

/** Maximum size of all compressed scripts until the inbox is shown. */
const BUDGET_BYTES = 200_000;

describe.skipIf(executablePath === undefined)('dashboard sessions', () => {
  const dashboard = useDashboard();

  test('explains how to sign in and rejects a used link', async () => {
    const { page, issues } = await dashboard.openSignedOut();
    await page.goto(dashboard.url);
    await page.getByText('amux open').waitFor();
    const { url } = await dashboard.amux('open');
    await page.goto(String(url));
    await page.getByRole('heading', { name: 'No sessions yet' }).waitFor();
    const other = await dashboard.openSignedOut();
    await other.page.goto(String(url));
    await other.page.getByText('This link was already used').waitFor();
    expect([...issues, ...other.issues]).toEqual([]);
  });

  test('loads little script for the first view', async () => {
    const { page } = await dashboard.openSignedOut();
    const sizes: Promise<number>[] = [];
    page.on('response', (response) => {
      if (response.url().endsWith('.js') && !response.url().endsWith('/sw.js'))
        sizes.push(response.body().then((body) => gzipSync(body).length));
    });
    const { url } = await dashboard.amux('open');
    await page.goto(String(url));
    await page.getByRole('heading', { name: 'No sessions yet' }).waitFor();
    const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    expect(total).toBeGreaterThan(10_000);
    expect(total).toBeLessThan(BUDGET_BYTES);
  });

  test('starts the demo with one click, approves it and survives a reload', async () => {
    const { page, issues } = await dashboard.open();
    await page.getByRole('button', { name: 'Try the demo' }).click();
    await page.getByText('Hello! I am the demo agent').waitFor();
    await page.getByRole('article', { name: /Write .*hello\.txt/ }).waitFor();
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText('says hello.').waitFor();
    await page.getByText('Hello from the demo agent.').first().waitFor();
    await page.getByText('Write agent-mux-demo/hello.txt: allowed').waitFor();
    await page.reload();
    await page.getByText('says hello.').waitFor();
    expect(await page.getByText('Hello! I am the demo agent').count()).toBe(1);
    expect(issues).toEqual([]);
  });

  test('denies a request from the inbox by keyboard', async () => {
    const { page, issues } = await dashboard.open();
    await startSession(page, { prompt: 'write denied.txt', folder: dashboard.work });
    await page.getByRole('article', { name: /Write/ }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('g');
    await page.keyboard.press('i');
    const card = page.getByRole('article', { name: /denied\.txt/ });
    await card.waitFor();
    // The first key press only selects.
    await page.keyboard.press('d');
    await card.waitFor();
    await page.keyboard.press('d');
    await card.waitFor({ state: 'detached' });
    await page
      .getByRole('link', { name: /write denied\.txt/ })
      .first()
      .click();
    await page.getByText('Then I leave').waitFor();
    expect(existsSync(join(dashboard.work, 'agent-mux-demo/denied.txt'))).toBe(false);
    expect(issues).toEqual([]);
  });

  test('snoozes a request, which stays open, and answers a question with one click', async () => {
    const { page } = await dashboard.open();
    await startSession(page, { prompt: 'ask me a question', folder: dashboard.work });
    await page.goto(dashboard.url);
    const card = page.getByRole('article', { name: /Which greeting/ });
    await card.getByRole('button', { name: 'Snooze' }).click();
    await card.waitFor({ state: 'detached' });
    await page
      .getByRole('link', { name: /ask me a question/ })
      .first()
      .click();
    await page.getByRole('button', { name: 'Ahoy' }).click();
    await page.getByText('Ahoy it is!').waitFor();
  });

  test('queues messages during a turn, cancels one and interrupts the turn', async () => {
    const { page } = await dashboard.open();
    await startSession(page, { prompt: 'slow', folder: dashboard.work });
    const message = page.getByLabel('Message', { exact: true });
    await page.getByRole('button', { name: 'Interrupt' }).waitFor();
    await message.fill('hello, first');
    await message.press('Enter');
    await message.fill('hello, second');
    await message.press('Enter');
    const queue = page.getByRole('list', { name: 'Queued messages' });
    await queue.getByText('hello, second').waitFor();
    await queue.getByRole('listitem').filter({ hasText: 'second' }).getByRole('button', { name: 'Edit' }).click();
    await queue.getByText('hello, second').waitFor({ state: 'detached' });
    // The cancelled text returns to the field for editing.
    await expect.poll(() => message.inputValue()).toBe('hello, second');
    await page.getByRole('button', { name: 'Interrupt' }).click();
    await page.getByText(/^interrupted/).waitFor();
    await page.getByText('Hello again!').waitFor();
    expect(await page.getByRole('log').getByText('hello, second').count()).toBe(0);
  });

  test('keeps an unsent message over a reload', async () => {
    const { page } = await dashboard.open();
    await startSession(page, { prompt: 'hello', folder: dashboard.work });
    const message = page.getByLabel('Message', { exact: true });
    await message.fill('not sent yet');
    await page.reload();
    await expect.poll(() => message.inputValue(), { timeout: 30_000 }).toBe('not sent yet');
  });

  test('reports a killed daemon and catches up after its restart', async () => {
    const { page } = await dashboard.open();
    await startSession(page, { prompt: 'slow', folder: dashboard.work });
    await page.getByText('1 2 3').waitFor();
    await dashboard.kill();
    await page.getByText('Can’t reach the daemon').first().waitFor();
    await dashboard.start();
    await expect.poll(() => page.getByText('Can’t reach the daemon').count(), { timeout: 60_000 }).toBe(0);
    const numbers = Array.from({ length: 100 }, (_, at) => at + 1).join(' ');
    await page.getByText(numbers, { exact: true }).waitFor({ timeout: 60_000 });
  });
});
