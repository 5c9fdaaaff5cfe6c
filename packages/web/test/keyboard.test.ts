import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { executablePath, useDashboard } from './dashboards.ts';

/** Goes on with Tab until it has the focus. */
async function tabTo(page: Page, wanted: Locator): Promise<void> {
  await wanted.waitFor();
  for (let presses = 0; presses < 30; presses += 1) {
    if (await wanted.evaluate((element) => element === element.ownerDocument.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`${wanted} cannot be reached with Tab`);
}

async function begin(page: Page, { prompt, folder }: { prompt: string; folder: string }): Promise<void> {
  await page.keyboard.press('c');
  const dialog = page.getByRole('dialog', { name: 'New session' });
  await tabTo(page, dialog.getByLabel('Prompt'));
  await page.keyboard.type(prompt);
  const agents = dialog.getByRole('combobox', { name: 'Agent' });
  await agents.locator('option[value="demo"]').waitFor({ state: 'attached' });
  await tabTo(page, agents);
  await page.keyboard.type('Demo');
  expect(await agents.inputValue()).toBe('demo');
  await tabTo(page, dialog.getByLabel('Folder'));
  await page.keyboard.press('Control+a');
  await page.keyboard.type(folder);
  await page.keyboard.press('Control+Enter');
  await page.getByRole('log').waitFor();
}

async function go(page: Page, key: string): Promise<void> {
  await page.keyboard.press('g');
  await page.keyboard.press(key);
}

describe.skipIf(executablePath === undefined)('the dashboard by its keys', () => {
  const dashboard = useDashboard();

  test('a session is begun, allowed, found and opened, and no hand leaves the keyboard', async () => {
    const { page, faults } = await dashboard.open();
    await begin(page, { prompt: 'write first.txt', folder: dashboard.work });
    await go(page, 'i');
    const first = page.getByRole('article', { name: /first\.txt/ });
    await first.waitFor();
    await begin(page, { prompt: 'write second.txt', folder: dashboard.work });
    await go(page, 'i');
    const second = page.getByRole('article', { name: /second\.txt/ });
    await second.waitFor();
    await first.waitFor();

    const isSelected = (card: typeof first) =>
      card.evaluate((element) => element.contains(element.ownerDocument.activeElement));
    await page.keyboard.press('j');
    const isFirstOnTop = await isSelected(first);
    await page.keyboard.press('j');
    expect(await isSelected(isFirstOnTop ? second : first)).toBe(true);
    await page.keyboard.press('k');
    expect(await isSelected(isFirstOnTop ? first : second)).toBe(true);
    if (!isFirstOnTop) await page.keyboard.press('j');
    await page.keyboard.press('a');
    await first.waitFor({ state: 'detached' });
    await second.waitFor();
    await expect
      .poll(() => existsSync(join(dashboard.work, 'agent-mux-demo/first.txt')), { timeout: 30_000 })
      .toBe(true);
    expect(existsSync(join(dashboard.work, 'agent-mux-demo/second.txt'))).toBe(false);

    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keys' });
    await help.getByText('Approve what is selected').waitFor();
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'detached' });

    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('combobox').waitFor();
    await page.keyboard.type('first.txt');
    await page.keyboard.press('Enter');
    await page.getByText('Wrote agent-mux-demo/first.txt').waitFor();

    await go(page, 's');
    await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('second');
    await page.getByRole('listitem').filter({ hasText: 'first.txt' }).waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('log').getByLabel('What is asked for').waitFor();
    await page.keyboard.press('m');
    await page.keyboard.type('hello from the keys');
    await page.keyboard.press('Enter');
    await page.getByRole('list', { name: 'Messages that wait' }).getByText('hello from the keys').waitFor();
    expect(faults).toEqual([]);
  });
});
