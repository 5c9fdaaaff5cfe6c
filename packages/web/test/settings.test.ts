import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { beginSession, executablePath, useDashboard } from './dashboards.ts';

const config = { daemon: { keepBytes: 1_000_000 }, profiles: { quick: { model: 'small' } } };

describe.skipIf(executablePath === undefined)('settings, and what is answered on a card', () => {
  const dashboard = useDashboard({ config });
  const signatures: (string | string[] | undefined)[] = [];
  const receiver = createServer((request, response) => {
    signatures.push(request.headers['agent-mux-signature']);
    response.end();
  });
  beforeAll(() => new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve)));
  afterAll(() => new Promise((resolve) => receiver.close(resolve)));

  async function readFile(page: Page): Promise<Record<string, unknown>> {
    const asked = 'fetch("/api/v1/settings").then((answer) => answer.json()).then(({ file }) => file)';
    return JSON.parse(readFileSync(await page.evaluate<string>(asked), 'utf8'));
  }

  /** Changes a value in its place; it is told in the end whether that is right or not. */
  async function change(page: Page, label: string, value: string | { choose: string }): Promise<void> {
    await page.getByRole('button', { name: `Change: ${label}` }).click();
    const field = page.getByLabel(label, { exact: true });
    if (typeof value === 'string') await field.fill(value);
    else await field.selectOption(value.choose);
    const form = page.locator('form').filter({ has: field });
    await form.getByRole('button', { name: 'Save' }).click();
    await form
      .getByRole('alert')
      .or(page.getByRole('button', { name: `Change: ${label}` }))
      .waitFor();
  }

  test('limits, what is kept, budgets and targets are changed, stand in the file, and stay over kill -9', async () => {
    const { page, faults } = await dashboard.open();
    await page.goto(`${dashboard.url}/settings`);
    const limits = page.getByRole('region', { name: 'At a limit' });
    await change(page, 'When a limit stops a session', { choose: 'wait' });
    await limits.getByText('sessions go on by themselves when the limit is lifted').waitFor();
    await change(page, 'They go on by themselves', '08:00-22:00');
    await limits.getByText('08:00-22:00').waitFor();

    const kept = page.getByRole('region', { name: 'What is kept' });
    await change(page, 'Ended sessions are dropped after', 'for ever');
    await kept.getByRole('alert').getByText('no duration').waitFor();
    await page.keyboard.press('Escape');
    await kept.getByText('90 days').waitFor();
    await change(page, 'Ended sessions are dropped after', '30d');
    await kept.getByText('30 days').waitFor();

    const budgets = page.getByRole('region', { name: 'Budgets' });
    await budgets.getByRole('button', { name: 'Add a budget' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Add' }).click();
    await dialog.getByRole('alert').getByText('Say how much').waitFor();
    await dialog.getByLabel('Dollars').fill('20');
    await dialog.getByRole('button', { name: 'Add' }).click();
    await budgets.getByText('$20.00 a day').waitFor();
    await budgets.getByRole('button', { name: /^Change the budget/ }).click();
    await dialog.getByLabel('Tokens').fill('2m');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await budgets.getByText('$20.00 and 2.0M tokens a day').waitFor();

    const told = page.getByRole('region', { name: 'Notifications' });
    await told.getByRole('button', { name: 'Add a target' }).click();
    await dialog.getByLabel('Name').fill('phone');
    const { port } = receiver.address() as AddressInfo;
    await dialog.getByLabel('Address').fill(`http://127.0.0.1:${port}/a-secret-topic`);
    await dialog.getByRole('button', { name: 'Make one' }).click();
    const secret = await dialog.getByLabel('Secret that signs what is sent').inputValue();
    await dialog.getByRole('button', { name: 'Add' }).click();
    await told.getByRole('button', { name: 'Test phone' }).click();
    await expect.poll(() => signatures.length, { timeout: 30_000 }).toBe(1);
    await told.getByRole('button', { name: 'Change the rule for phone' }).click();
    await dialog.getByLabel('a turn is over').check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await told
      .getByRole('list', { name: 'Rules of notifications' })
      .getByText(/a turn is over/)
      .waitFor();

    const written = await readFile(page);
    expect(written).toMatchObject({
      profiles: config.profiles,
      daemon: {
        keep: '30d',
        keepBytes: 1_000_000,
        onLimit: 'wait',
        limits: { hours: '08:00-22:00' },
        budgets: [{ per: 'day', usd: 20, tokens: 2_000_000 }],
        notify: { rules: [{ to: ['phone'], when: expect.arrayContaining(['idle', 'blocked']) }] },
      },
    });
    expect(JSON.stringify(written)).not.toContain(secret);

    await dashboard.kill();
    await dashboard.start();
    await page.reload();
    await kept.getByText('30 days').waitFor();
    await limits.getByText('08:00-22:00').waitFor();
    await budgets.getByText('$20.00 and 2.0M tokens a day').waitFor();
    await told.getByText('phone', { exact: true }).waitFor();
    expect(await page.content()).not.toMatch(/a-secret-topic/);
    await told.getByRole('button', { name: 'Remove the target phone' }).click();
    await told.getByText('Nobody is told anything yet.').waitFor();
    await budgets.getByRole('button', { name: /^Remove the budget/ }).click();
    await budgets.getByText('None.').waitFor();
    await change(page, 'They go on by themselves', '');
    await change(page, 'When a limit stops a session', { choose: 'stop' });
    await limits.getByText('sessions wait for you').waitFor();
    expect(await readFile(page)).toMatchObject({ daemon: { budgets: [], onLimit: 'stop' } });
    expect(faults).toEqual([]);
  });

  test('a file that somebody has changed meanwhile is shown before it is written', async () => {
    const one = await dashboard.open();
    const other = await dashboard.open();
    for (const { page } of [one, other]) {
      await page.goto(`${dashboard.url}/settings`);
      await page.getByRole('button', { name: 'Change: Processes of agents at once' }).click();
    }
    await one.page.getByLabel('Processes of agents at once').fill('7');
    await one.page.getByRole('button', { name: 'Save' }).click();
    await one.page.getByRole('button', { name: 'Change: Processes of agents at once' }).waitFor();
    await other.page.getByLabel('Processes of agents at once').fill('9');
    await other.page.getByRole('button', { name: 'Save' }).click();
    await other.page.getByRole('alert').getByText('changed by somebody else').waitFor();
    await other.page.getByRole('button', { name: 'Save' }).click();
    await other.page.getByRole('button', { name: 'Change: Processes of agents at once' }).waitFor();
    expect(await readFile(one.page)).toMatchObject({ daemon: { maxLiveSessions: 9 } });
    // The browser tells of every answer that is a refusal.
    expect(other.faults.filter((fault) => !fault.includes('409'))).toEqual([]);
  });

  test('a session that its budget has paused is let go on from its card', async () => {
    await dashboard.amux('new', '-a', 'demo', '--budget', '0.000001usd', 'hello');
    const { page, faults } = await dashboard.open();
    const card = page.getByRole('article').filter({ hasText: 'the budget of this session' });
    await card.getByRole('button', { name: /Raise budget/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Budget of this session' });
    await dialog.getByLabel('Dollars').fill('10');
    await dialog.getByRole('button', { name: 'Set the budget' }).click();
    await card.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: /hello/ }).first().click();
    await page.getByText(/of \$10\.00/).waitFor();
    await page.getByRole('button', { name: 'Actions' }).click();
    await page.getByRole('menuitem', { name: /Budget/ }).click();
    await dialog.getByRole('button', { name: 'Take it away' }).click();
    await page.getByText(/of \$10\.00/).waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
  });

  test('a failure has what mends it on its card', async () => {
    const { page, faults } = await dashboard.open();
    await beginSession(page, { prompt: 'fail crash', folder: dashboard.work });
    await beginSession(page, { prompt: 'fail auth', folder: dashboard.work });
    await page.goto(dashboard.url);
    const crashed = page.locator('[data-kind="failure"]').filter({ hasText: 'fail crash' });
    await crashed.getByRole('button', { name: 'Restore' }).click();
    await crashed.waitFor({ state: 'detached' });
    const stranger = page.locator('[data-kind="failure"]').filter({ hasText: 'fail auth' });
    await stranger.getByRole('link', { name: 'Log in' }).click();
    await page.getByRole('heading', { name: 'Login' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/agents/demo');
    expect(faults).toEqual([]);
  });

  test('a limit is answered on its card, and what is waved away is so in every browser', async () => {
    const { page, faults } = await dashboard.open();
    const other = await dashboard.open();
    await beginSession(page, { prompt: 'fail rate limit for 900s', folder: dashboard.work });
    await page.goto(dashboard.url);
    const card = page.locator('[data-kind="limit"]');
    await card.getByText('lifted').waitFor();
    await card.getByRole('button', { name: 'Go on by itself' }).click();
    await card.getByText(/goes on by itself in/).waitFor();
    await card.getByRole('button', { name: 'Do not go on' }).click();
    await card.getByRole('button', { name: 'Go on by itself' }).waitFor();
    const there = other.page.locator('[data-kind="limit"]');
    await there.getByRole('button', { name: 'Go on now' }).waitFor();
    await card.getByRole('button', { name: 'Dismiss' }).click();
    await card.waitFor({ state: 'detached' });
    await there.waitFor({ state: 'detached' });
    await dashboard.kill();
    await dashboard.start();
    await other.page.reload();
    await other.page.getByRole('heading', { name: /Needs you/ }).waitFor();
    await other.page.getByText('Limited', { exact: true }).first().waitFor();
    expect(await there.count()).toBe(0);
    expect([...faults, ...other.faults]).toEqual([]);
  });
});
