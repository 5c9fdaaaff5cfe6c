import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { executablePath, startSession, useDashboard } from './dashboards.ts';

/** A PNG of one pixel. */
const IMAGE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describe.skipIf(executablePath === undefined)('conversation view', () => {
  const dashboard = useDashboard();

  test('highlights code, finds text in items that are not rendered and shows raw events', async () => {
    const { page, issues } = await dashboard.open();
    const code = 'hello\n```ts\nconst answer: number = 42;\n```\nthe needle';
    await startSession(page, { prompt: code, folder: dashboard.work });
    await page.getByText('Hello! I am the demo agent').waitFor();
    const message = page.getByLabel('Message', { exact: true });
    await message.fill('what did I say before?');
    await message.press('Enter');
    const keyword = page.locator('.code-block span').filter({ hasText: 'const' });
    await keyword.waitFor();
    const colorsOf = () =>
      page
        .locator('.code-block span')
        .evaluateAll((all) => new Set(all.map((each) => getComputedStyle(each).color)).size);
    await expect.poll(colorsOf, { timeout: 30_000 }).toBeGreaterThan(1);

    await message.press('Escape');
    await page.keyboard.press('/');
    await page.getByLabel('Find in the conversation').fill('NEEDLE');
    const bar = page.getByRole('search');
    await bar.getByText('2 of 2').waitFor();
    await page.keyboard.press('Enter');
    await bar.getByText('1 of 2').waitFor();
    expect(
      await page.evaluate<number>("CSS.highlights.get('found').size + CSS.highlights.get('found-here').size"),
    ).toBe(2);
    await page.keyboard.press('Escape');
    await bar.waitFor({ state: 'detached' });

    await page.getByRole('tab', { name: 'Events' }).click();
    await page.getByText('user_message').first().click();
    await page
      .getByRole('group', { name: /^Event / })
      .getByText('"type": "user_message"')
      .first()
      .waitFor();
    expect(issues).toEqual([]);
  });

  test('sends a chosen file with the message and shows an image in the conversation', async () => {
    const { page, issues } = await dashboard.open();
    await startSession(page, { prompt: 'hello', folder: dashboard.work });
    await page.getByText('Hello! I am the demo agent').waitFor();
    const chosen = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Attach files' }).click();
    await (await chosen).setFiles([
      { name: 'dot.png', mimeType: 'image/png', buffer: IMAGE },
      { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('notes') },
    ]);
    const list = page.getByRole('list', { name: 'Attachments' });
    await list.getByText('notes.txt').waitFor();
    await page.getByRole('button', { name: 'Remove notes.txt' }).click();
    await list.getByText('notes.txt').waitFor({ state: 'detached' });
    const message = page.getByLabel('Message', { exact: true });
    await message.fill('hello again');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText(/Thank you for .*dot\.png/).waitFor();
    const image = page.getByRole('img', { name: 'dot.png' });
    await image.waitFor();
    await expect.poll(() => image.evaluate((each) => Reflect.get(each, 'naturalWidth'))).toBe(1);
    expect(issues).toEqual([]);
  });

  test('exports a conversation as Markdown', async () => {
    const { page } = await dashboard.open();
    await startSession(page, { prompt: 'hello', folder: dashboard.work });
    await page.getByText('Hello! I am the demo agent').waitFor();
    await page.getByRole('button', { name: 'Actions' }).click();
    const downloading = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'Export as Markdown' }).click();
    const text = readFileSync(await (await downloading).path(), 'utf8');
    expect(text).toContain('**You:**\n\nhello');
    expect(text).toContain('Hello! I am the demo agent');
  });
});
