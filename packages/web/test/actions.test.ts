import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { executablePath, readSessions, startSession, useDashboard } from './dashboards.ts';
import { EVERYTHING, HIDDEN } from './everything.ts';

/** Chooses an entry of the session menu by keyboard. */
async function choose(page: Page, name: string | RegExp): Promise<void> {
  await page.keyboard.press('.');
  // Wait until the menu has the focus, or the key would go to another element.
  await page.locator('[role=menu]:focus, [role=menu] :focus').waitFor();
  await page.getByRole('menuitem', { name }).press('Enter');
  await page.getByRole('menu').waitFor({ state: 'detached' });
}

/** Runs a command of the palette by its name. */
async function command(page: Page, name: string): Promise<void> {
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Commands' });
  await palette.getByRole('combobox').fill(name);
  // The accessible name includes the shortcut.
  const option = palette.getByRole('option', { name: new RegExp(`^${name}(?: \\S)?$`), selected: true });
  await option.waitFor();
  await page.keyboard.press('Enter');
  await palette.waitFor({ state: 'detached' });
}

async function start(page: Page, folder: string, prompt: string): Promise<string> {
  await startSession(page, { prompt, folder });
  await page.getByText(/^Hello! I am/).waitFor();
  // Leave the field, so that keys go to the page.
  await page.keyboard.press('Escape');
  await page.locator('h1').click();
  return new URL(page.url()).pathname.split('/').at(-1) ?? '';
}

describe.skipIf(executablePath === undefined)('session actions', () => {
  const dashboard = useDashboard({ scripts: EVERYTHING });
  const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 });

  test('renames, pins and unpins a session by keyboard', async () => {
    const { page, issues } = await dashboard.open();
    await start(page, dashboard.work, 'hello renamed');
    await choose(page, 'Rename…');
    await page.getByLabel('Title').fill('The first of May');
    await page.keyboard.press('Enter');
    await heading(page, 'The first of May').waitFor();
    await choose(page, 'Pin');
    // Wait until the closing menu restores the focus, or the next menu would close again.
    await page.getByRole('button', { name: 'Actions' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('.');
    await page.getByRole('menuitem', { name: 'Unpin' }).waitFor();
    await page.keyboard.press('Escape');
    await page.goto(`${dashboard.url}/sessions`);
    const row = page.getByRole('main').getByRole('listitem').filter({ hasText: 'The first of May' });
    await row.getByRole('button', { name: 'Unpin', pressed: true }).waitFor();
    await row.focus();
    await page.keyboard.press('p');
    await row.getByRole('button', { name: 'Pin', pressed: false }).waitFor();
    expect(issues).toEqual([]);
  });

  test('forks a session into an independent copy that links to its parent', async () => {
    const { page, issues } = await dashboard.open();
    const first = await start(page, dashboard.work, 'hello forked');
    await choose(page, 'Fork');
    await page.waitForURL((url) => url.pathname.startsWith('/sessions/') && !url.pathname.endsWith(first));
    // Before its first message the fork shows the conversation of its parent.
    const log = page.getByRole('log');
    await log.getByText('Forked here from').waitFor();
    await log.getByRole('region', { name: 'Your message' }).getByText('hello forked').waitFor();
    const message = page.getByLabel('Message', { exact: true });
    await message.fill('what did I say before?');
    await message.press('Enter');
    await page.getByText(/Before this you said/).waitFor();
    expect((await readSessions(page)).length).toBeGreaterThan(1);
    // Later messages of the parent do not appear in the fork.
    const fork = new URL(page.url()).pathname;
    await dashboard.amux('send', first, 'hello to the parent alone');
    await log.getByText('Forked here from').getByRole('link', { name: 'hello forked' }).click();
    await page.waitForURL(`${dashboard.url}/sessions/${first}`);
    await log.getByText('hello to the parent alone').waitFor();
    await page.goto(`${dashboard.url}${fork}`);
    await log.getByText('Forked here from').waitFor();
    await log.getByRole('region', { name: 'Your message' }).getByText('what did I say before?').waitFor();
    expect(await log.getByText('hello to the parent alone').count()).toBe(0);
    expect(await log.getByRole('region', { name: 'Your message' }).count()).toBe(2);
    await dashboard.amux('rm', first, '--yes');
    await page.reload();
    await log.getByText('Its parent session was deleted').waitFor();
    await log.getByRole('region', { name: 'Your message' }).getByText('what did I say before?').waitFor();
    expect(issues).toEqual([]);
  });

  test('parks, stops and restores a session from the palette', async () => {
    const { page, issues } = await dashboard.open();
    await start(page, dashboard.work, 'hello parked');
    const state = page.locator('.session-head .state');
    await command(page, 'Park');
    await state.getByText('Parked').waitFor();
    await command(page, 'Stop');
    await state.getByText('Ended').waitFor();
    await command(page, 'Restore');
    await state.getByText('Ended').waitFor({ state: 'detached' });
    const message = page.getByLabel('Message', { exact: true });
    await message.fill('what did I say before?');
    await message.press('Enter');
    await page.getByText(/Before this you said/).waitFor();
    expect(issues).toEqual([]);
  });

  test('warns that removing a session cannot be undone', async () => {
    const { page, issues } = await dashboard.open();
    const id = await start(page, dashboard.work, 'hello removed');
    await choose(page, 'Remove…');
    const dialog = page.getByRole('dialog', { name: 'Remove this session?' });
    await dialog.getByText('cannot be undone').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await command(page, 'Remove…');
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await page.waitForURL(`${dashboard.url}/`);
    await expect
      .poll(async () => (await readSessions(page)).map((each) => each.id), { timeout: 30_000 })
      .not.toContain(id);
    await page.goto(`${dashboard.url}/sessions/${id}`);
    await page.getByRole('heading', { name: 'Session not found' }).waitFor();
    expect(issues.filter((issue) => !issue.includes('404'))).toEqual([]);
  });

  test('exports a session as Markdown and as stored events', async () => {
    const { page, issues } = await dashboard.open();
    const id = await start(page, dashboard.work, 'hello to download');
    const textOf = async (name: string) => {
      const downloading = page.waitForEvent('download');
      await choose(page, name);
      const download = await downloading;
      return { name: download.suggestedFilename(), text: readFileSync(await download.path(), 'utf8') };
    };
    const markdown = await textOf('Export as Markdown');
    expect(markdown.name).toBe(`${id}.md`);
    expect(markdown.text).toContain('**You:**\n\nhello to download');
    expect(markdown.text).toContain('Hello! I am the demo agent');
    const exported = await textOf('Export events');
    expect(exported.name).toBe(`${id}.jsonl`);
    const events = exported.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const stored = await page.evaluate<{ events: unknown[] }>(
      `fetch('/api/v1/sessions/${id}/events?after=-1&limit=10000').then((answer) => answer.json())`,
    );
    expect(events).toEqual(stored.events.slice(0, events.length));
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at));
    expect(events.map(({ type }) => type)).toContain('turn_end');
    expect(issues).toEqual([]);
  });

  test('opens the views of a session from the palette', async () => {
    const { page, issues } = await dashboard.open();
    await start(page, dashboard.work, 'hello views');
    await command(page, 'Events');
    await page.getByText('user_message').first().waitFor();
    await command(page, 'Changes');
    await page.getByRole('tab', { name: 'Changes', selected: true }).waitFor();
    await command(page, 'Conversation');
    await page.getByRole('log').waitFor();
    // Its folder is not a repository, which the page reports.
    expect(issues.filter((issue) => !issue.includes('409'))).toEqual([]);
  });

  test('expands and shows matches in thinking, output and nested subagents', async () => {
    const { page, issues } = await dashboard.open();
    await startSession(page, { prompt: 'go', folder: dashboard.work, agent: 'everything' });
    await page.getByText('May I ask something?').waitFor();
    const log = page.getByRole('log');
    await page.keyboard.press('Escape');
    await command(page, 'Find in the conversation');
    for (const text of Object.values(HIDDEN)) {
      expect(await log.getByText(text).count(), text).toBe(0);
      await page.getByLabel('Find in the conversation').fill(text);
      await log.getByText(text).first().waitFor();
      await expect.poll(() => isInView(page, text), { timeout: 30_000 }).toBe(true);
      expect(await page.evaluate<number>("CSS.highlights.get('found-here').size")).toBeGreaterThan(0);
    }
    // Far down in a nested scroll container.
    await page.getByLabel('Find in the conversation').fill('line 390 of what');
    await expect.poll(() => isInView(page, 'line 390 of what'), { timeout: 30_000 }).toBe(true);
    expect(issues).toEqual([]);
  });
});

/** Whether the highlighted match is visible in all of its scroll containers. */
async function isInView(page: Page, text: string): Promise<boolean> {
  return await page.evaluate((wanted) => {
    const [range] = [...(CSS.highlights.get('found-here') ?? [])];
    if (!(range instanceof Range) || !range.toString().includes(wanted)) return false;
    const box = range.getBoundingClientRect();
    for (let element = range.startContainer.parentElement; element; element = element.parentElement) {
      const frame = element.getBoundingClientRect();
      const scrolls = element.scrollHeight > element.clientHeight && getComputedStyle(element).overflowY !== 'visible';
      if (scrolls && (box.bottom > frame.bottom + 1 || box.top < frame.top - 1)) return false;
    }
    return box.height > 0;
  }, text);
}
