import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { executablePath, useDashboard } from './dashboards.ts';

/** Prints several kinds of colors, then echoes typed lines. */
const SCREEN = `
[ "$1" = --version ] && { echo 1.0.0; exit 0; }
printf '\\033[38;2;200;80;20mtrue color\\033[0m \\033[1;31mbold red\\033[0m \\033[48;5;22mback\\033[0m\\n'
echo "hello $1"
while :; do read -r line || continue; [ "$line" = bye ] && exit 0; echo "said $line"; done`;
/** Color of the colored text, read in one step because rows are re-rendered. Plain text has 27, 28, 32. */
const COLOR = `(() => {
  const found = [...document.querySelectorAll('.xterm-rows span')].find((each) => each.textContent.includes('true color'));
  return found ? getComputedStyle(found).color : '';
})()`;
const SLOW = { timeout: 60_000 };

describe.skipIf(executablePath === undefined)('browser terminal', () => {
  const dashboard = useDashboard({
    config: { adapters: [fileURLToPath(new URL('../../daemon/test/terminal-adapter.ts', import.meta.url))] },
    programs: { 'screen-agent': SCREEN },
  });
  const rowsOf = (page: Page) => page.locator('.xterm-rows').textContent({ timeout: 60_000 });

  test('opens from the dialog, is shared by two viewers, survives a restart and exits', async () => {
    const { page, issues } = await dashboard.open();
    await page.getByRole('button', { name: 'New session' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'New session' });
    await dialog.getByLabel('Prompt').fill('do it');
    await dialog.getByRole('combobox', { name: 'Agent' }).selectOption('screen');
    await dialog.getByLabel('Folder').fill(dashboard.work);
    await dialog.getByLabel(/terminal UI/).check();
    await dialog.getByRole('button', { name: 'Start' }).click();
    await expect.poll(() => rowsOf(page), SLOW).toContain('hello --prompt=do it');
    // Terminal styles work although the CSP forbids inline styles.
    await expect.poll(() => page.evaluate<string>(COLOR), SLOW).toMatch(/^rgb\((?!27, 28, 32)/);
    await page.getByRole('textbox', { name: 'Terminal' }).pressSequentially('first');
    await page.keyboard.press('Enter');
    await expect.poll(() => rowsOf(page), SLOW).toContain('said first');
    await page.getByText('You have the keyboard').waitFor();

    const other = await dashboard.open();
    await other.page.goto(page.url());
    await expect.poll(() => rowsOf(other.page), SLOW).toContain('said first');
    await other.page.getByRole('button', { name: 'Take the keyboard' }).click();
    await other.page.getByText('You have the keyboard').waitFor();
    await page.getByText(/^web-\w+ has the keyboard/).waitFor();
    await other.page.keyboard.type('second');
    await other.page.keyboard.press('Enter');
    await expect.poll(() => rowsOf(page), SLOW).toContain('said second');

    await dashboard.kill();
    await dashboard.start();
    await page.reload();
    await expect.poll(() => rowsOf(page), SLOW).toContain('said second');
    await other.page.getByText('Connecting…').waitFor({ state: 'detached' });
    await page.context().newPage();
    await other.page.close();
    await page.getByRole('textbox', { name: 'Terminal' }).pressSequentially('bye');
    await page.keyboard.press('Enter');
    await page.getByText('The program exited').waitFor();
    await page.reload();
    await page.getByText('The program exited').waitFor();
    await expect.poll(() => rowsOf(page), SLOW).toContain('said second');
    expect(issues).toEqual([]);
  });
});
