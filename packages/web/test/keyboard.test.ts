import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { executablePath, useDashboard } from './dashboards.ts';

/** Presses Tab until the element has the focus. */
async function tabTo(page: Page, wanted: Locator): Promise<void> {
  await wanted.waitFor();
  for (let presses = 0; presses < 30; presses += 1) {
    if (await wanted.evaluate((element) => element === element.ownerDocument.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`${wanted} is not reachable with Tab`);
}

async function start(page: Page, { prompt, folder }: { prompt: string; folder: string }): Promise<void> {
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

describe.skipIf(executablePath === undefined)('keyboard', () => {
  const dashboard = useDashboard();

  test('starts, approves, finds and opens sessions by keyboard only', async () => {
    const { page, issues } = await dashboard.open();
    await start(page, { prompt: 'write first.txt', folder: dashboard.work });
    await go(page, 'i');
    const first = page.getByRole('article', { name: /first\.txt/ });
    await first.waitFor();
    await start(page, { prompt: 'write second.txt', folder: dashboard.work });
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
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await help.getByText('Approve selected').waitFor();
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
    await page.getByRole('log').getByLabel('Request details').waitFor();
    await page.keyboard.press('m');
    await page.keyboard.type('hello from the keys');
    await page.keyboard.press('Enter');
    await page.getByRole('list', { name: 'Queued messages' }).getByText('hello from the keys').waitFor();
    expect(issues).toEqual([]);
  });

  /** Starts sessions that each request approval to write a file. */
  async function ask(page: Page, files: readonly string[]): Promise<string[]> {
    const ids: string[] = [];
    for (const file of files)
      ids.push(String((await dashboard.amux('new', `write ${file}`, '-a', 'demo', '-C', dashboard.work)).id));
    await page.goto(dashboard.url);
    for (const file of files) await page.getByRole('article', { name: file }).waitFor();
    return ids;
  }
  const labelOfFocused = (page: Page) =>
    page.evaluate<string>(
      `(({ tagName, ariaLabel, textContent }) => tagName + ' ' + (ariaLabel ?? textContent))(document.activeElement)`,
    );

  test('moves the focus to the next request, and to the heading after the last', async () => {
    const { page, issues } = await dashboard.open();
    await page.goto(dashboard.url);
    // Deny requests that other tests left open.
    const open = page.getByRole('main').getByRole('button', { name: /^Deny(?: D)?$/ });
    await page.getByRole('main').getByRole('heading').first().waitFor();
    for (let left = await open.count(); left > 0; left -= 1) {
      await open.first().click();
      await expect.poll(() => open.count()).toBe(left - 1);
    }
    await ask(page, ['one.txt', 'two.txt', 'three.txt', 'four.txt']);
    const names = await page.getByRole('article').evaluateAll((all) => all.map((each) => each.ariaLabel ?? ''));
    expect(names).toHaveLength(4);
    const expectFocus = (label: string) =>
      expect.poll(() => labelOfFocused(page), { message: `the focus is on ${label}` }).toBe(label);
    // By key.
    await page.keyboard.press('j');
    await expectFocus(`ARTICLE ${names[0]}`);
    await page.keyboard.down('a');
    // A key that is held down decides only once.
    for (let times = 0; times < 20; times += 1) await page.keyboard.down('a');
    await page.keyboard.up('a');
    await expectFocus(`ARTICLE ${names[1]}`);
    expect(await page.getByRole('article').count()).toBe(3);
    // By button.
    await page.getByRole('article').first().getByRole('button', { name: 'Deny D' }).press('Enter');
    await expectFocus(`ARTICLE ${names[2]}`);
    // After the last entry, the focus moves to the one before it.
    await page.getByRole('article').last().getByRole('button', { name: 'Snooze' }).press('Enter');
    await expectFocus(`ARTICLE ${names[2]}`);
    await page.getByRole('article').first().getByRole('button', { name: 'Allow A' }).press('Enter');
    await expectFocus('H1 Needs you 0');
    expect(issues).toEqual([]);
  });

  test('keeps the focus in the session after an answer or a cancelled message', async () => {
    const { page, issues } = await dashboard.open();
    const [id] = await ask(page, ['five.txt']);
    await page.goto(`${dashboard.url}/sessions/${id}`);
    const message = page.getByLabel('Message', { exact: true });
    await message.fill('and then?');
    await message.press('Enter');
    await page.getByRole('button', { name: 'Edit', exact: true }).press('Enter');
    await page.getByRole('button', { name: 'Edit', exact: true }).waitFor({ state: 'detached' });
    await expect.poll(() => labelOfFocused(page)).toBe('TEXTAREA Message');
    await page.getByRole('button', { name: 'Allow A' }).press('Enter');
    await page.getByText('Wrote agent-mux-demo/five.txt').first().waitFor();
    await expect.poll(() => labelOfFocused(page)).toBe('DIV Conversation');
    expect(issues).toEqual([]);
  });
});
