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

  /** Sessions that each ask for leave to write a file. */
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

  test('the focus moves to the next request after a decision, and to the heading after the last', async () => {
    const { page, faults } = await dashboard.open();
    await page.goto(dashboard.url);
    // What other tests have left open.
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
    // By its key.
    await page.keyboard.press('j');
    await expectFocus(`ARTICLE ${names[0]}`);
    await page.keyboard.down('a');
    // A key that is held down decides once.
    for (let times = 0; times < 20; times += 1) await page.keyboard.down('a');
    await page.keyboard.up('a');
    await expectFocus(`ARTICLE ${names[1]}`);
    expect(await page.getByRole('article').count()).toBe(3);
    // By its button.
    await page.getByRole('article').first().getByRole('button', { name: 'Deny D' }).press('Enter');
    await expectFocus(`ARTICLE ${names[2]}`);
    // The last of the list: the one before it.
    await page.getByRole('article').last().getByRole('button', { name: 'Later' }).press('Enter');
    await expectFocus(`ARTICLE ${names[2]}`);
    await page.getByRole('article').first().getByRole('button', { name: 'Allow A' }).press('Enter');
    await expectFocus('H1 Needs you 0');
    expect(faults).toEqual([]);
  });

  test('the focus stays in the session after its request was answered or a message was taken back', async () => {
    const { page, faults } = await dashboard.open();
    const [id] = await ask(page, ['five.txt']);
    await page.goto(`${dashboard.url}/sessions/${id}`);
    const message = page.getByLabel('Message', { exact: true });
    await message.fill('and then?');
    await message.press('Enter');
    await page.getByRole('button', { name: 'Take back' }).press('Enter');
    await page.getByRole('button', { name: 'Take back' }).waitFor({ state: 'detached' });
    await expect.poll(() => labelOfFocused(page)).toBe('TEXTAREA Message');
    await page.getByRole('button', { name: 'Allow A' }).press('Enter');
    await page.getByText('Wrote agent-mux-demo/five.txt').first().waitFor();
    await expect.poll(() => labelOfFocused(page)).toBe('DIV Conversation');
    expect(faults).toEqual([]);
  });
});
