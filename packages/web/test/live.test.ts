import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { executablePath, startSession, useDashboard } from './dashboards.ts';

const say = (delta: string) => ({ do: 'event', event: { type: 'text_delta', delta } });
const turnEnd = { do: 'event', event: { type: 'turn_end', status: 'completed' } };
const UNREACHABLE = 'Can’t reach the daemon';
const ALL_NUMBERS = Array.from({ length: 100 }, (_, at) => at + 1).join(' ');

/** The visible text of the conversation. */
async function readConversation(page: Page): Promise<string> {
  return ((await page.getByRole('log').textContent()) ?? '').replaceAll(/\s+/g, ' ');
}

describe.skipIf(executablePath === undefined)('live session', () => {
  const dashboard = useDashboard({
    scripts: { steered: [[say('I listen. '), { do: 'await-steer' }, say('You said: {{steer}}.'), turnEnd]] },
  });

  test('steers an agent during its turn', async () => {
    const { page, issues } = await dashboard.open();
    await startSession(page, { prompt: 'start', folder: dashboard.work, agent: 'steered' });
    await page.getByText('I listen.').waitFor();
    const message = page.getByLabel('Message', { exact: true });
    await message.fill('to the left');
    await page.getByRole('button', { name: 'Steer' }).click();
    await page.getByText('You said: to the left.').waitFor();
    await page.getByRole('log').getByText('steered', { exact: true }).waitFor();
    expect(await message.inputValue()).toBe('');
    expect(issues).toEqual([]);
  });

  test('offers no steering for an agent without support', async () => {
    const { page } = await dashboard.open();
    await startSession(page, { prompt: 'hang', folder: dashboard.work });
    await page.getByRole('button', { name: 'Interrupt' }).waitFor();
    expect(await page.getByRole('button', { name: 'Steer' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Interrupt' }).click();
    await page.getByText(/^interrupted/).waitFor();
  });

  test('shows the whole request before the decision and the diff afterwards', async () => {
    const { page } = await dashboard.open();
    await startSession(page, { prompt: 'write seen.txt "the whole of it"', folder: dashboard.work });
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

  test('sends the reason of a denial to the agent', async () => {
    const { page } = await dashboard.open();
    await startSession(page, { prompt: 'run something', folder: dashboard.work });
    await page.getByLabel('Request details').getByText('node --version').waitFor();
    await page.getByRole('button', { name: 'Deny…' }).click();
    await page.getByLabel('Reason').fill('not today');
    await page.getByLabel('Reason').press('Enter');
    await page.getByText('Then I do not run it.').waitFor();
    await page.getByRole('button', { name: /node --version.*denied/ }).click();
    await page.getByText('not allowed: not today').waitFor();
  });

  test('catches up after being offline without loss or duplicates', async () => {
    const { page } = await dashboard.open();
    await startSession(page, { prompt: 'slow', folder: dashboard.work });
    await page.getByText('1 2 3').waitFor();
    await page.context().setOffline(true);
    const message = page.getByLabel('Message', { exact: true });
    await message.fill('hello, from a tunnel');
    await message.press('Enter');
    // The unsent message is restored.
    await expect.poll(() => message.inputValue(), { timeout: 30_000 }).toBe('hello, from a tunnel');
    await page.context().setOffline(false);
    await message.press('Enter');
    await page.getByText('Hello again! This is message 2').waitFor({ timeout: 60_000 });
    const shown = await readConversation(page);
    expect(shown.split(ALL_NUMBERS)).toHaveLength(2);
    expect(shown.split('hello, from a tunnel')).toHaveLength(2);
  });

  test('reports that the daemon is down and recovers automatically', async () => {
    const { id } = await dashboard.amux('new', 'write down.txt', '-a', 'demo', '-C', dashboard.work);
    await dashboard.amux('send', String(id), 'hello from the queue');
    // The first visit of this browser, to one page only.
    const { page } = await dashboard.open();
    await expect
      .poll(() => page.evaluate<string>("navigator.serviceWorker.ready.then(({ active }) => active?.state ?? '')"), {
        timeout: 60_000,
      })
      .toBe('activated');
    await dashboard.kill();
    // At most three: a browser allows six connections across all tabs.
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
        .not.toMatch(/cannot be reached|Can’t reach|Loading…|Something went wrong/);
    }
    const [session, usage, history] = pages;
    await session.getByRole('list', { name: 'Queued messages' }).getByText('hello from the queue').waitFor();
    await session.getByRole('log').getByText('down.txt').first().waitFor();
    await usage.getByRole('heading', { name: /By day|No usage/ }).waitFor();
    await history.getByRole('heading', { name: 'History' }).waitFor();
    for (const opened of pages) await opened.close();
  });

  test('catches up after SIGKILL of the daemon and restores a stopped session', async () => {
    const { page } = await dashboard.open();
    await startSession(page, { prompt: 'slow', folder: dashboard.work });
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
