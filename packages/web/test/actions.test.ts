import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { beginSession, executablePath, readSessions, useDashboard } from './dashboards.ts';
import { EVERYTHING, HIDDEN } from './everything.ts';

/** The menu of a session, by its key. */
async function choose(page: Page, name: string | RegExp): Promise<void> {
  await page.keyboard.press('.');
  // A menu that opens takes the focus; a key that is pressed before would go elsewhere.
  await page.locator('[role=menu]:focus, [role=menu] :focus').waitFor();
  await page.getByRole('menuitem', { name }).press('Enter');
  await page.getByRole('menu').waitFor({ state: 'detached' });
}

/** What the palette has is found by its name, and Enter does it. */
async function command(page: Page, name: string): Promise<void> {
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Commands' });
  await palette.getByRole('combobox').fill(name);
  // Its keys are said with its name.
  const option = palette.getByRole('option', { name: new RegExp(`^${name}(?: \\S)?$`), selected: true });
  await option.waitFor();
  await page.keyboard.press('Enter');
  await palette.waitFor({ state: 'detached' });
}

async function begin(page: Page, folder: string, prompt: string): Promise<string> {
  await beginSession(page, { prompt, folder });
  await page.getByText(/^Hello! I am/).waitFor();
  // Keys are for the page, not for the field.
  await page.keyboard.press('Escape');
  await page.locator('h1').click();
  return new URL(page.url()).pathname.split('/').at(-1) ?? '';
}

describe.skipIf(executablePath === undefined)('what can be done with a session', () => {
  const dashboard = useDashboard({ scripts: EVERYTHING });
  const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 });

  test('it is renamed, pinned, and pinned no more, by keys alone', async () => {
    const { page, faults } = await dashboard.open();
    await begin(page, dashboard.work, 'hello renamed');
    await choose(page, 'Rename…');
    await page.getByLabel('Title').fill('The first of May');
    await page.keyboard.press('Enter');
    await heading(page, 'The first of May').waitFor();
    await choose(page, 'Pin');
    // A menu that closes gives the focus back; one that was opened before that would close again.
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
    expect(faults).toEqual([]);
  });

  test('it is forked: the copy goes on by itself, and says where it came from', async () => {
    const { page, faults } = await dashboard.open();
    const first = await begin(page, dashboard.work, 'hello forked');
    await choose(page, 'Fork');
    await page.waitForURL((url) => url.pathname.startsWith('/sessions/') && !url.pathname.endsWith(first));
    // Until it is sent something, the fork has what its parent has.
    const log = page.getByRole('log');
    await log.getByText('Forked here from').waitFor();
    await log.getByRole('region', { name: 'You said' }).getByText('hello forked').waitFor();
    const message = page.getByLabel('Message', { exact: true });
    await message.fill('what did I say before?');
    await message.press('Enter');
    await page.getByText(/Before this you said/).waitFor();
    expect((await readSessions(page)).length).toBeGreaterThan(1);
    // What the parent does afterwards is not of the fork.
    const fork = new URL(page.url()).pathname;
    await dashboard.amux('send', first, 'hello to the parent alone');
    await log.getByText('Forked here from').getByRole('link', { name: 'hello forked' }).click();
    await page.waitForURL(`${dashboard.url}/sessions/${first}`);
    await log.getByText('hello to the parent alone').waitFor();
    await page.goto(`${dashboard.url}${fork}`);
    await log.getByText('Forked here from').waitFor();
    await log.getByRole('region', { name: 'You said' }).getByText('what did I say before?').waitFor();
    expect(await log.getByText('hello to the parent alone').count()).toBe(0);
    expect(await log.getByRole('region', { name: 'You said' }).count()).toBe(2);
    await dashboard.amux('rm', first, '--yes');
    await page.reload();
    await log.getByText('The session that it was copied from was removed').waitFor();
    await log.getByRole('region', { name: 'You said' }).getByText('what did I say before?').waitFor();
    expect(faults).toEqual([]);
  });

  test('it is parked, stopped and restored, each from the palette', async () => {
    const { page, faults } = await dashboard.open();
    await begin(page, dashboard.work, 'hello parked');
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
    expect(faults).toEqual([]);
  });

  test('it is removed only after it was said that this cannot be undone', async () => {
    const { page, faults } = await dashboard.open();
    const id = await begin(page, dashboard.work, 'hello removed');
    await choose(page, 'Remove…');
    const dialog = page.getByRole('dialog', { name: 'Remove this session?' });
    await dialog.getByText('cannot be undone').waitFor();
    await dialog.getByRole('button', { name: 'Keep it' }).click();
    await dialog.waitFor({ state: 'detached' });
    await command(page, 'Remove…');
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await page.waitForURL(`${dashboard.url}/`);
    await expect
      .poll(async () => (await readSessions(page)).map((each) => each.id), { timeout: 30_000 })
      .not.toContain(id);
    await page.goto(`${dashboard.url}/sessions/${id}`);
    await page.getByRole('heading', { name: 'This session is not here' }).waitFor();
    expect(faults.filter((fault) => !fault.includes('404'))).toEqual([]);
  });

  test('it is exported: as text that can be read, and as every event that is stored', async () => {
    const { page, faults } = await dashboard.open();
    const id = await begin(page, dashboard.work, 'hello to take away');
    const textOf = async (name: string) => {
      const downloading = page.waitForEvent('download');
      await choose(page, name);
      const download = await downloading;
      return { name: download.suggestedFilename(), text: readFileSync(await download.path(), 'utf8') };
    };
    const markdown = await textOf('Export as Markdown');
    expect(markdown.name).toBe(`${id}.md`);
    expect(markdown.text).toContain('**You:**\n\nhello to take away');
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
    expect(faults).toEqual([]);
  });

  test('its views and its events are reached from the palette', async () => {
    const { page, faults } = await dashboard.open();
    await begin(page, dashboard.work, 'hello views');
    await command(page, 'Events');
    await page.getByText('user_message').first().waitFor();
    await command(page, 'Changes');
    await page.getByRole('tab', { name: 'Changes', selected: true }).waitFor();
    await command(page, 'Conversation');
    await page.getByRole('log').waitFor();
    // Its folder is no repository, which the page says.
    expect(faults.filter((fault) => !fault.includes('409'))).toEqual([]);
  });

  test('what is found in a thought, an output or an agent within an agent is unfolded and shown', async () => {
    const { page, faults } = await dashboard.open();
    await beginSession(page, { prompt: 'go', folder: dashboard.work, agent: 'everything' });
    await page.getByText('May I ask something?').waitFor();
    const log = page.getByRole('log');
    await page.keyboard.press('Escape');
    await command(page, 'Find in the conversation');
    for (const words of Object.values(HIDDEN)) {
      expect(await log.getByText(words).count(), words).toBe(0);
      await page.getByLabel('Find in the conversation').fill(words);
      const place = log.getByText(words);
      await place.first().waitFor();
      await expect.poll(() => isInView(page, words), { timeout: 30_000 }).toBe(true);
      expect(await page.evaluate<number>("CSS.highlights.get('found-here').size")).toBeGreaterThan(0);
    }
    // Deep in what scrolls within itself.
    await page.getByLabel('Find in the conversation').fill('line 390 of what');
    await expect.poll(() => isInView(page, 'line 390 of what'), { timeout: 30_000 }).toBe(true);
    expect(faults).toEqual([]);
  });
});

/** Whether the mark itself is within all that scrolls around it. */
async function isInView(page: Page, words: string): Promise<boolean> {
  return await page.evaluate((wanted) => {
    const [range] = [...(CSS.highlights.get('found-here') ?? [])];
    if (!(range instanceof Range) || !range.toString().includes(wanted)) return false;
    const place = range.getBoundingClientRect();
    for (let element = range.startContainer.parentElement; element; element = element.parentElement) {
      const frame = element.getBoundingClientRect();
      const scrolls = element.scrollHeight > element.clientHeight && getComputedStyle(element).overflowY !== 'visible';
      if (scrolls && (place.bottom > frame.bottom + 1 || place.top < frame.top - 1)) return false;
    }
    return place.height > 0;
  }, words);
}
