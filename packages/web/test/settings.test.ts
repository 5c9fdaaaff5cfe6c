import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { executablePath, startSession, useDashboard } from './dashboards.ts';

const config = { daemon: { retentionBytes: 1_000_000 }, profiles: { quick: { model: 'small' } } };

describe.skipIf(executablePath === undefined)('settings and inbox cards', () => {
  const dashboard = useDashboard({ config });
  const signatures: (string | string[] | undefined)[] = [];
  const receiver = createServer((request, response) => {
    signatures.push(request.headers['agent-mux-signature']);
    response.end();
  });
  beforeAll(() => new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve)));
  afterAll(() => new Promise((resolve) => receiver.close(resolve)));

  async function readFile(page: Page): Promise<Record<string, unknown>> {
    const script = 'fetch("/api/v1/settings").then((answer) => answer.json()).then(({ file }) => file)';
    return JSON.parse(readFileSync(await page.evaluate<string>(script), 'utf8'));
  }

  /** Changes a setting in place and waits until it is saved or rejected. */
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

  test('writes limits, retention, budgets and targets to the file and keeps them over SIGKILL', async () => {
    const { page, issues } = await dashboard.open();
    await page.goto(`${dashboard.url}/settings`);
    const limits = page.getByRole('region', { name: 'At a limit' });
    await change(page, 'When a session hits a limit', { choose: 'continue' });
    await limits.getByText('continue automatically after the reset').waitFor();
    await change(page, 'Continue only between', '08:00-22:00');
    await limits.getByText('08:00-22:00').waitFor();

    const retention = page.getByRole('region', { name: 'Data retention' });
    await change(page, 'Delete ended sessions after', 'forever');
    await retention.getByRole('alert').getByText('not a duration').waitFor();
    await page.keyboard.press('Escape');
    await retention.getByText('90 days').waitFor();
    await change(page, 'Delete ended sessions after', '30d');
    await retention.getByText('30 days').waitFor();

    const budgets = page.getByRole('region', { name: 'Budgets' });
    await budgets.getByRole('button', { name: 'Add a budget' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Add' }).click();
    await dialog.getByRole('alert').getByText('Enter an amount').waitFor();
    await dialog.getByLabel('Dollars').fill('20');
    await dialog.getByRole('button', { name: 'Add' }).click();
    await budgets.getByText('$20.00 per day').waitFor();
    await budgets.getByRole('button', { name: /^Change the budget/ }).click();
    await dialog.getByLabel('Tokens').fill('2m');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await budgets.getByText('$20.00 and 2.0M tokens per day').waitFor();

    const notifications = page.getByRole('region', { name: 'Notifications' });
    await notifications.getByRole('button', { name: 'Add a target' }).click();
    await dialog.getByLabel('Name').fill('phone');
    const { port } = receiver.address() as AddressInfo;
    await dialog.getByLabel('URL').fill(`http://127.0.0.1:${port}/a-secret-topic`);
    await dialog.getByRole('button', { name: 'Generate' }).click();
    const secret = await dialog.getByLabel('Signing secret').inputValue();
    await dialog.getByRole('button', { name: 'Add' }).click();
    await notifications.getByRole('button', { name: 'Test phone' }).click();
    await expect.poll(() => signatures.length, { timeout: 30_000 }).toBe(1);
    await notifications.getByRole('button', { name: 'Change the rule for phone' }).click();
    await dialog.getByLabel('a turn ends').check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await notifications
      .getByRole('list', { name: 'Notification rules' })
      .getByText(/a turn ends/)
      .waitFor();

    const written = await readFile(page);
    expect(written).toMatchObject({
      profiles: config.profiles,
      daemon: {
        retention: '30d',
        retentionBytes: 1_000_000,
        onLimit: 'continue',
        continuation: { hours: '08:00-22:00' },
        budgets: [{ per: 'day', usd: 20, tokens: 2_000_000 }],
        notify: { rules: [{ to: ['phone'], when: expect.arrayContaining(['idle', 'blocked']) }] },
      },
    });
    expect(JSON.stringify(written)).not.toContain(secret);

    await dashboard.kill();
    await dashboard.start();
    await page.reload();
    await retention.getByText('30 days').waitFor();
    await limits.getByText('08:00-22:00').waitFor();
    await budgets.getByText('$20.00 and 2.0M tokens per day').waitFor();
    await notifications.getByText('phone', { exact: true }).waitFor();
    expect(await page.content()).not.toMatch(/a-secret-topic/);
    await notifications.getByRole('button', { name: 'Remove the target phone' }).click();
    await notifications.getByText('No targets yet.').waitFor();
    await budgets.getByRole('button', { name: /^Remove the budget/ }).click();
    await budgets.getByText('No budgets.').waitFor();
    await change(page, 'Continue only between', '');
    await change(page, 'When a session hits a limit', { choose: 'pause' });
    await limits.getByText('pause', { exact: true }).waitFor();
    expect(await readFile(page)).toMatchObject({ daemon: { budgets: [], onLimit: 'pause' } });
    expect(issues).toEqual([]);
  });

  test('shows a concurrent change of the file before overwriting it', async () => {
    const one = await dashboard.open();
    const other = await dashboard.open();
    for (const { page } of [one, other]) {
      await page.goto(`${dashboard.url}/settings`);
      await page.getByRole('button', { name: 'Change: Maximum running sessions' }).click();
    }
    await one.page.getByLabel('Maximum running sessions').fill('7');
    await one.page.getByRole('button', { name: 'Save' }).click();
    await one.page.getByRole('button', { name: 'Change: Maximum running sessions' }).waitFor();
    await other.page.getByLabel('Maximum running sessions').fill('9');
    await other.page.getByRole('button', { name: 'Save' }).click();
    await other.page.getByRole('alert').getByText('was changed in the meantime').waitFor();
    await other.page.getByRole('button', { name: 'Save' }).click();
    await other.page.getByRole('button', { name: 'Change: Maximum running sessions' }).waitFor();
    expect(await readFile(one.page)).toMatchObject({ daemon: { maxLiveSessions: 9 } });
    // The browser logs every error response.
    expect(other.issues.filter((issue) => !issue.includes('409'))).toEqual([]);
  });

  test('raises the budget of a paused session from its card', async () => {
    await dashboard.amux('new', '-a', 'demo', '--budget', '0.000001usd', 'hello');
    const { page, issues } = await dashboard.open();
    const card = page.getByRole('article').filter({ hasText: 'the budget of this session' });
    await card.getByRole('button', { name: /Raise budget/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Session budget' });
    await dialog.getByLabel('Dollars').fill('10');
    await dialog.getByRole('button', { name: 'Set budget' }).click();
    await card.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: /hello/ }).first().click();
    await page.getByText(/of \$10\.00/).waitFor();
    await page.getByRole('button', { name: 'Actions' }).click();
    await page.getByRole('menuitem', { name: /Budget/ }).click();
    await dialog.getByRole('button', { name: 'Remove budget' }).click();
    await page.getByText(/of \$10\.00/).waitFor({ state: 'detached' });
    expect(issues).toEqual([]);
  });

  test('offers the fix of a failure on its card', async () => {
    const { page, issues } = await dashboard.open();
    await startSession(page, { prompt: 'fail crash', folder: dashboard.work });
    await startSession(page, { prompt: 'fail auth', folder: dashboard.work });
    await page.goto(dashboard.url);
    const crashed = page.locator('[data-kind="failure"]').filter({ hasText: 'fail crash' });
    await crashed.getByRole('button', { name: 'Restore' }).click();
    await crashed.waitFor({ state: 'detached' });
    const loggedOut = page.locator('[data-kind="failure"]').filter({ hasText: 'fail auth' });
    await loggedOut.getByRole('link', { name: 'Log in' }).click();
    await page.getByRole('heading', { name: 'Login' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/agents/demo');
    expect(issues).toEqual([]);
  });

  test('resolves a limit on its card and dismisses it in every browser', async () => {
    const { page, issues } = await dashboard.open();
    const other = await dashboard.open();
    await startSession(page, { prompt: 'fail rate limit for 900s', folder: dashboard.work });
    await page.goto(dashboard.url);
    const card = page.locator('[data-kind="limit"]');
    await card.getByText(/^resets in/).waitFor();
    await card.getByRole('button', { name: 'Continue automatically' }).click();
    await card.getByText(/continues automatically in/).waitFor();
    await card.getByRole('button', { name: 'Don’t continue' }).click();
    await card.getByRole('button', { name: 'Continue automatically' }).waitFor();
    const there = other.page.locator('[data-kind="limit"]');
    await there.getByRole('button', { name: 'Continue now' }).waitFor();
    await card.getByRole('button', { name: 'Dismiss' }).click();
    await card.waitFor({ state: 'detached' });
    await there.waitFor({ state: 'detached' });
    await dashboard.kill();
    await dashboard.start();
    await other.page.reload();
    await other.page.getByRole('heading', { name: /Needs you/ }).waitFor();
    await other.page.getByText('Limited', { exact: true }).first().waitFor();
    expect(await there.count()).toBe(0);
    expect([...issues, ...other.issues]).toEqual([]);
  });
});
