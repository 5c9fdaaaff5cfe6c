import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { beginSession, executablePath, useDashboard } from './dashboards.ts';

const say = (delta: string) => ({ do: 'event', event: { type: 'text_delta', delta } });
const turnEnd = { do: 'event', event: { type: 'turn_end', status: 'completed' } };
const UNREACHABLE = 'The daemon cannot be reached';
const ALL_NUMBERS = Array.from({ length: 100 }, (_, at) => at + 1).join(' ');

/** Everything that the page shows of the conversation. */
async function readConversation(page: Page): Promise<string> {
  return ((await page.getByRole('log').textContent()) ?? '').replaceAll(/\s+/g, ' ');
}

describe.skipIf(executablePath === undefined)('a session that is watched', () => {
  const dashboard = useDashboard({
    scripts: { steered: [[say('I listen. '), { do: 'await-steer' }, say('You said: {{steer}}.'), turnEnd]] },
  });

  test('an agent that can be steered is told something within its turn', async () => {
    const { page, faults } = await dashboard.open();
    await beginSession(page, { prompt: 'begin', folder: dashboard.work, agent: 'steered' });
    await page.getByText('I listen.').waitFor();
    const message = page.getByLabel('Message', { exact: true });
    await message.fill('to the left');
    await page.getByRole('button', { name: 'Steer' }).click();
    await page.getByText('You said: to the left.').waitFor();
    await page.getByText('into the running turn').waitFor();
    expect(await message.inputValue()).toBe('');
    expect(faults).toEqual([]);
  });

  test('an agent that cannot be steered is offered no such thing', async () => {
    const { page } = await dashboard.open();
    await beginSession(page, { prompt: 'hang', folder: dashboard.work });
    await page.getByRole('button', { name: 'Interrupt' }).waitFor();
    expect(await page.getByRole('button', { name: 'Steer' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Interrupt' }).click();
    await page.getByText(/^interrupted/).waitFor();
  });

  test('what is asked for is seen whole where it is decided on, and its change as a diff afterwards', async () => {
    const { page } = await dashboard.open();
    await beginSession(page, { prompt: 'write seen.txt "the whole of it"', folder: dashboard.work });
    await page.goto(dashboard.url);
    const card = page.getByRole('article', { name: /seen\.txt/ });
    await card.getByText('+ the whole of it').waitFor();
    await card.getByRole('button', { name: 'Allow' }).click();
    await card.waitFor({ state: 'detached' });
    await page
      .getByRole('link', { name: /seen\.txt/ })
      .first()
      .click();
    await page.getByText('Wrote agent-mux-demo/seen.txt').waitFor();
    await page.getByLabel('Change', { exact: true }).getByText('+ the whole of it').waitFor();
    expect(readFileSync(join(dashboard.work, 'agent-mux-demo/seen.txt'), 'utf8')).toBe('the whole of it\n');
  });

  test('a denial goes to the agent with its reason', async () => {
    const { page } = await dashboard.open();
    await beginSession(page, { prompt: 'run something', folder: dashboard.work });
    await page.getByLabel('What is asked for').getByText('node --version').waitFor();
    await page.getByRole('button', { name: 'Deny…' }).click();
    await page.getByLabel('Why not').fill('not today');
    await page.getByLabel('Why not').press('Enter');
    await page.getByText('Then I do not run it.').waitFor();
    await page.getByRole('button', { name: /node --version.*denied/ }).click();
    await page.getByText('not allowed: not today').waitFor();
  });

  test('a page that was offline catches up, and nothing is lost or there twice', async () => {
    const { page } = await dashboard.open();
    await beginSession(page, { prompt: 'slow', folder: dashboard.work });
    await page.getByText('1 2 3').waitFor();
    await page.context().setOffline(true);
    const message = page.getByLabel('Message', { exact: true });
    await message.fill('hello, from a tunnel');
    await message.press('Enter');
    // It could not be sent, and is not lost.
    await expect.poll(() => message.inputValue(), { timeout: 30_000 }).toBe('hello, from a tunnel');
    await page.context().setOffline(false);
    await message.press('Enter');
    await page.getByText('Hello again! This is message 2').waitFor({ timeout: 60_000 });
    const shown = await readConversation(page);
    expect(shown.split(ALL_NUMBERS)).toHaveLength(2);
    expect(shown.split('hello, from a tunnel')).toHaveLength(2);
  });

  test('a page opened while the daemon is down says so, and recovers on its own', async () => {
    const { id } = await dashboard.amux('new', 'write down.txt', '-a', 'demo', '-C', dashboard.work);
    await dashboard.amux('send', String(id), 'hello from the queue');
    // The first visit of this browser, of one page only.
    const { page } = await dashboard.open();
    await expect
      .poll(() => page.evaluate<string>("navigator.serviceWorker.ready.then(({ active }) => active?.state ?? '')"), {
        timeout: 60_000,
      })
      .toBe('activated');
    await dashboard.kill();
    // Not more: a browser has six connections for all of its tabs.
    const pages = [page, await page.context().newPage(), await page.context().newPage()] as const;
    const paths = [`/sessions/${id}`, '/usage', '/history'] as const;
    for (const [at, opened] of pages.entries()) {
      await opened.goto(`${dashboard.url}${paths[at]}`);
      await opened.getByText(UNREACHABLE).first().waitFor();
    }
    await dashboard.start();
    for (const opened of pages) {
      await expect.poll(() => opened.getByText(UNREACHABLE).count(), { timeout: 60_000 }).toBe(0);
      await expect
        .poll(() => opened.getByRole('main').textContent(), { timeout: 60_000, message: opened.url() })
        .not.toMatch(/cannot be reached|Loading…|has failed/);
    }
    const [session, usage, history] = pages;
    await session.getByRole('list', { name: 'Messages that wait' }).getByText('hello from the queue').waitFor();
    await session.getByRole('log').getByText('down.txt').first().waitFor();
    await usage.getByRole('heading', { name: /By day|Nothing was used/ }).waitFor();
    await history.getByRole('heading', { name: 'History' }).waitFor();
    for (const opened of pages) await opened.close();
  });

  test('killed with -9 under an open page, the daemon comes back, the page catches up and a stopped session is restored', async () => {
    const { page } = await dashboard.open();
    await beginSession(page, { prompt: 'slow', folder: dashboard.work });
    await page.getByText('1 2 3').waitFor();
    await dashboard.kill();
    await page.getByText(UNREACHABLE).first().waitFor();
    await dashboard.start();
    await expect.poll(() => page.getByText(UNREACHABLE).count(), { timeout: 60_000 }).toBe(0);
    await page.getByText(ALL_NUMBERS, { exact: true }).waitFor({ timeout: 60_000 });
    expect((await readConversation(page)).split('1 2 3 4')).toHaveLength(2);
    await page.getByRole('button', { name: 'Actions' }).click();
    await page.getByRole('menuitem', { name: 'Stop' }).click();
    await page.getByRole('button', { name: 'Restore' }).click();
    await page.getByRole('button', { name: 'Restore' }).waitFor({ state: 'detached' });
    const message = page.getByLabel('Message', { exact: true });
    await message.fill('what did I say before?');
    await message.press('Enter');
    await page.getByText('Before this you said: “slow”').or(page.getByText('Before this you said: "slow"')).waitFor();
  });
});
