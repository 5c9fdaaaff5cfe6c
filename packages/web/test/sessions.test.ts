import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { beginSession, executablePath, useDashboard } from './dashboards.ts';

/** Of script, compressed, until the inbox is there. */
const BUDGET_BYTES = 200_000;

describe.skipIf(executablePath === undefined)('the dashboard in a browser', () => {
  const dashboard = useDashboard();

  test('a browser that nobody has signed in is told how, and a link that was used says so', async () => {
    const { page, faults } = await dashboard.openStranger();
    await page.goto(dashboard.url);
    await page.getByText('amux open').waitFor();
    const { url } = await dashboard.amux('open');
    await page.goto(String(url));
    await page.getByRole('heading', { name: 'No sessions yet' }).waitFor();
    const other = await dashboard.openStranger();
    await other.page.goto(String(url));
    await other.page.getByText('This link was used before').waitFor();
    expect([...faults, ...other.faults]).toEqual([]);
  });

  test('the first view needs little script', async () => {
    const { page } = await dashboard.openStranger();
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

  test('the demo is one click away: it streams, asks, is allowed, and is there again after a reload', async () => {
    const { page, faults } = await dashboard.open();
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
    expect(faults).toEqual([]);
  });

  test('what waits is denied from the inbox with the keyboard alone, and the file is not written', async () => {
    const { page, faults } = await dashboard.open();
    await beginSession(page, { prompt: 'write denied.txt', folder: dashboard.work });
    await page.getByRole('article', { name: /Write/ }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('g');
    await page.keyboard.press('i');
    const card = page.getByRole('article', { name: /denied\.txt/ });
    await card.waitFor();
    // The first stroke only selects.
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
    expect(faults).toEqual([]);
  });

  test('"later" takes a request out of the inbox and leaves it open; a question is answered by one click', async () => {
    const { page } = await dashboard.open();
    await beginSession(page, { prompt: 'ask me a question', folder: dashboard.work });
    await page.goto(dashboard.url);
    const card = page.getByRole('article', { name: /Which greeting/ });
    await card.getByRole('button', { name: 'Later' }).click();
    await card.waitFor({ state: 'detached' });
    await page
      .getByRole('link', { name: /ask me a question/ })
      .first()
      .click();
    await page.getByRole('button', { name: 'Ahoy' }).click();
    await page.getByText('Ahoy it is!').waitFor();
  });

  test('messages wait for the turn, can be taken back, and a turn can be interrupted', async () => {
    const { page } = await dashboard.open();
    await beginSession(page, { prompt: 'slow', folder: dashboard.work });
    const message = page.getByLabel('Message', { exact: true });
    await page.getByRole('button', { name: 'Interrupt' }).waitFor();
    await message.fill('hello, first');
    await message.press('Enter');
    await message.fill('hello, second');
    await message.press('Enter');
    const queue = page.getByRole('list', { name: 'Messages that wait' });
    await queue.getByText('hello, second').waitFor();
    await queue.getByRole('listitem').filter({ hasText: 'second' }).getByRole('button', { name: 'Take back' }).click();
    await queue.getByText('hello, second').waitFor({ state: 'detached' });
    // It may have been meant otherwise.
    await expect.poll(() => message.inputValue()).toBe('hello, second');
    await page.getByRole('button', { name: 'Interrupt' }).click();
    await page.getByText(/^interrupted/).waitFor();
    await page.getByText('Hello again!').waitFor();
    expect(await page.getByRole('log').getByText('hello, second').count()).toBe(0);
  });

  test('a half-written message survives a reload', async () => {
    const { page } = await dashboard.open();
    await beginSession(page, { prompt: 'hello', folder: dashboard.work });
    const message = page.getByLabel('Message', { exact: true });
    await message.fill('not sent yet');
    await page.reload();
    await expect.poll(() => message.inputValue(), { timeout: 30_000 }).toBe('not sent yet');
  });

  test('a daemon that is killed is missed in a line, and everything is there when it is back', async () => {
    const { page } = await dashboard.open();
    await beginSession(page, { prompt: 'slow', folder: dashboard.work });
    await page.getByText('1 2 3').waitFor();
    await dashboard.kill();
    await page.getByText('The daemon cannot be reached').first().waitFor();
    await dashboard.start();
    await expect.poll(() => page.getByText('The daemon cannot be reached').count(), { timeout: 60_000 }).toBe(0);
    const numbers = Array.from({ length: 100 }, (_, at) => at + 1).join(' ');
    await page.getByText(numbers, { exact: true }).waitFor({ timeout: 60_000 });
  });
});
