import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { executablePath, startSession, useDashboard } from './dashboards.ts';

/** A fake npm that installs a fake Codex, which only prints its version. */
const NPM = `#!/bin/sh
echo "fetching $*"
printf '#!/bin/sh\\necho "codex-cli 9.9.9"\\n' > "$(dirname "$0")/codex"
chmod +x "$(dirname "$0")/codex"
echo "added 1 package"
`;

describe.skipIf(executablePath === undefined)('history, usage, agents, audit log and settings', () => {
  const bin = mkdtempSync(join(tmpdir(), 'bin-'));
  writeFileSync(join(bin, 'npm'), NPM);
  chmodSync(join(bin, 'npm'), 0o755);
  afterAll(() => rmSync(bin, { recursive: true, force: true }));
  const dashboard = useDashboard({ bin });

  test('finds, shows and continues a stored session', async () => {
    const folder = join(dashboard.work, 'other');
    mkdirSync(folder);
    // Started in a terminal, without the daemon.
    await dashboard
      .amux('run', '-a', 'demo', 'say hello to the walrus', '--cwd', folder, '--yolo')
      .catch(() => undefined);
    const { page, issues } = await dashboard.open();
    await page.keyboard.press('g');
    await page.keyboard.press('h');
    await page.getByRole('searchbox').fill('walrus');
    await page.getByRole('link', { name: /walrus/ }).click();
    await page.getByRole('log').getByText('say hello to the walrus').waitFor();
    await page.getByRole('button', { name: 'Continue here' }).click();
    await page.getByLabel('Message', { exact: true }).fill('hello again');
    await page.keyboard.press('Enter');
    await page
      .getByText(/Hello again!|Hello! I am/)
      .first()
      .waitFor();
    await page.goto(`${dashboard.url}/history?q=nothing-has-this-word`);
    await page.getByRole('heading', { name: 'No matching sessions' }).waitFor();
    expect(issues).toEqual([]);
  });

  test('opens a search result at its highlighted match', async () => {
    const { id } = await dashboard.amux('new', 'hello from a narwhal', '-a', 'demo', '-C', dashboard.work);
    for (let times = 0; times < 8; times += 1) await dashboard.amux('send', String(id), `hello, message ${times}`);
    const { page, issues } = await dashboard.open({ viewport: { width: 900, height: 420 } });
    await page.goto(`${dashboard.url}/sessions/${id}`);
    await page.getByRole('log').getByText('hello, message 7').waitFor({ timeout: 60_000 });
    await expect
      .poll(
        async () => {
          await page.goto(`${dashboard.url}/history?q=narwhal`);
          await page.getByRole('main').getByRole('listitem').first().waitFor();
          return page.getByRole('main').locator('mark').first().textContent();
        },
        { timeout: 30_000 },
      )
      .toBe('narwhal');
    await page.getByRole('main').getByRole('listitem').first().getByRole('link').click();
    const log = page.getByRole('log');
    await log.getByText('hello from a narwhal').waitFor();
    await page
      .getByRole('status')
      .getByText(/^1 of \d+$/)
      .waitFor();
    const isInView = () =>
      log.getByText('hello from a narwhal').evaluate((node) => {
        const { top, bottom } = node.getBoundingClientRect();
        const frame = node.closest('[role=log]')?.getBoundingClientRect();
        return frame !== undefined && top >= frame.top && bottom <= frame.bottom;
      });
    await expect.poll(isInView).toBe(true);
    await expect.poll(() => page.evaluate<string>("[...CSS.highlights.get('found-here')].join()")).toBe('narwhal');
    expect(issues).toEqual([]);
  });

  test('shows usage as a chart and as a table', async () => {
    const { page, issues } = await dashboard.open();
    await startSession(page, { prompt: 'hello', folder: dashboard.work });
    await page.getByText('Hello! I am the demo agent').waitFor();
    await expect
      .poll(
        async () => {
          await page.goto(`${dashboard.url}/usage`);
          await page.getByRole('heading', { name: /By day|No usage/ }).waitFor();
          return page.getByRole('img', { name: /Cost by day/ }).count();
        },
        { timeout: 60_000, interval: 1_000 },
      )
      .toBe(1);
    await page.getByText('As a table').click();
    await page.getByRole('table', { name: 'Usage by day' }).getByRole('rowheader').first().waitFor();
    await page.getByRole('table', { name: 'Usage by agent' }).getByRole('rowheader', { name: 'demo' }).waitFor();
    await page.getByText('Tokens', { exact: true }).click();
    await page.getByRole('img', { name: /Tokens by day/ }).waitFor();
    expect(issues).toEqual([]);
  });

  test('shows the commands, progress and version while installing an agent', async () => {
    const { page, issues } = await dashboard.open();
    await page.goto(`${dashboard.url}/agents`);
    await page.getByRole('button', { name: /^Install Codex/ }).click();
    const dialog = page.getByRole('dialog', { name: /Install Codex/ });
    await dialog.getByText('npm install -g @openai/codex').waitFor();
    await dialog.getByRole('button', { name: 'Run', exact: true }).click();
    await dialog.getByText('added 1 package').waitFor();
    await dialog.getByRole('status').getByText(/^Done/).waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('listitem').filter({ hasText: 'Codex' }).getByText('9.9.9').first().waitFor();
    await page
      .getByRole('link', { name: /^Codex/ })
      .first()
      .click();
    await page
      .getByRole('table', { name: /Capabilities/ })
      .getByRole('rowheader', { name: 'resume', exact: true })
      .waitFor();
    await page.getByRole('heading', { name: 'Login' }).waitFor();
    expect(issues).toEqual([]);
  });

  test('verifies an agent case by case and keeps the results over a daemon restart', {
    timeout: 300_000,
  }, async () => {
    const { page, issues } = await dashboard.open();
    await page.goto(`${dashboard.url}/agents/codex`);
    await page.getByRole('button', { name: 'Verify…' }).click();
    const dialog = page.getByRole('dialog', { name: /Verify Codex/ });
    await dialog.getByText('it costs nothing').waitFor();
    await dialog.getByText('Cases', { exact: true }).click();
    await dialog.getByRole('listitem').nth(5).waitFor();
    await dialog.getByRole('button', { name: 'Verify', exact: true }).click();
    await dialog
      .getByRole('status')
      .getByText(/cases done/)
      .waitFor();
    // The fake agent only prints its version, so every case fails.
    await dialog.getByRole('row').filter({ hasText: 'failed' }).first().waitFor({ timeout: 120_000 });
    await dialog.getByRole('button', { name: 'Stop', exact: true }).click();
    await dialog.getByText(/the job was cancelled/).waitFor({ timeout: 60_000 });
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    const verified = page.getByRole('region', { name: 'Verified here' });
    await verified.getByText(/^0 of \d+ passed, not finished/).waitFor();
    await dashboard.kill();
    await dashboard.start();
    await page.reload();
    await verified.getByText(/^0 of \d+ passed, not finished/).waitFor();
    await verified.getByRole('row').filter({ hasText: 'failed' }).first().waitFor();
    await page.goto(`${dashboard.url}/agents`);
    await page
      .getByRole('listitem')
      .filter({ hasText: 'Codex' })
      .getByText(/^0 of \d+ passed/)
      .waitFor();
    expect(issues).toEqual([]);
  });

  test('adds, tests and removes a rule, which the audit log names', async () => {
    const { page, issues } = await dashboard.open();
    await page.goto(`${dashboard.url}/settings`);
    await page.getByText('No rules').waitFor();
    await page.getByRole('region', { name: 'Rules' }).getByText('Add a rule').click();
    await page.getByLabel('Decision').selectOption('allow');
    await page.getByRole('alert').getByText('without asking').waitFor();
    await page.getByLabel('Kind').first().selectOption('edit');
    await page.getByRole('button', { name: 'Add rule' }).click();
    const rules = page.getByRole('region', { name: 'Rules' });
    await rules.getByText('allow edit').waitFor();
    await page.getByText('Test a request').click();
    await rules.getByLabel('Command, path or URL').fill('rm -rf /');
    await rules.getByRole('button', { name: 'Test request' }).click();
    await rules.getByText(/^ask:/).waitFor();
    await startSession(page, { prompt: 'write ruled.txt', folder: dashboard.work });
    await page.getByText('ruled.txt').first().waitFor();
    await page.goto(`${dashboard.url}/audit`);
    await page
      .getByText(/by rule /)
      .first()
      .waitFor();
    await page.goto(`${dashboard.url}/settings`);
    await rules.getByRole('button', { name: /Remove the rule/ }).click();
    await page.getByText('No rules').waitFor();
    expect(issues).toEqual([]);
  });

  test('lists every decision with its actor, back to the first', async () => {
    const { page, issues } = await dashboard.open();
    await startSession(page, { prompt: 'write decided.txt', folder: dashboard.work });
    await page.getByRole('button', { name: 'Allow' }).first().click();
    await page.getByText('Wrote agent-mux-demo/decided.txt').first().waitFor();
    await page.goto(`${dashboard.url}/audit`);
    const decided = page.getByRole('main').getByRole('listitem').filter({ hasText: 'decided.txt' });
    await decided.getByText('by this browser').waitFor();
    await decided.getByRole('link', { name: /decided/ }).waitFor();
    const id = await decided.getByRole('link').getAttribute('href');
    // More entries than fit on one page.
    await page.evaluate(async (path) => {
      for (let at = 0; at < 520; at += 1)
        await fetch(`/api/v1${path}`, {
          method: 'PATCH',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ title: `the title ${at}` }),
        });
    }, id);
    await page.goto(`${dashboard.url}/audit?show=all&q=decided.txt`);
    await page.getByRole('heading', { name: 'No matching entries' }).waitFor();
    await page.getByRole('button', { name: /^Older than/ }).click();
    await decided.first().waitFor();
    await page.getByText('End of the log.').waitFor();
    await page.getByLabel('Actor', { exact: true }).selectOption('rules');
    await decided.first().waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).toBe('?show=all&q=decided.txt&by=rules');
    expect(issues).toEqual([]);
  });

  test('creates, runs, pauses and removes a schedule and signs out a browser', async () => {
    const other = await dashboard.open();
    const { page, issues } = await dashboard.open();
    await page.goto(`${dashboard.url}/settings`);
    await page.getByText('Add a schedule').click();
    const schedules = page.getByRole('region', { name: 'Schedules' });
    await schedules.getByRole('combobox', { name: 'Agent' }).selectOption('demo');
    await schedules.getByLabel('Folder').fill(dashboard.work);
    await schedules.getByLabel('Prompt').fill('hello from the clock');
    await schedules.getByRole('combobox', { name: 'Model' }).selectOption('demo-mini');
    await schedules.getByRole('combobox', { name: 'Permissions' }).selectOption('accept-edits');
    await schedules.getByRole('combobox', { name: 'At a limit' }).selectOption('continue');
    await schedules.getByRole('combobox', { name: 'If the previous run is still active' }).selectOption('allow');
    await schedules.getByText('Title and budget').click();
    await schedules.getByLabel('Title').fill('every morning');
    await schedules.getByLabel('Dollars').fill('2');
    await schedules.getByRole('button', { name: 'Add schedule' }).click();
    await schedules.getByText('every morning').waitFor();
    const [created] = await page.evaluate<unknown[]>(
      "fetch('/api/v1/schedules').then((answer) => answer.json()).then(({ schedules }) => schedules)",
    );
    expect(created).toMatchObject({
      overlap: 'allow',
      session: {
        ...{ agent: 'demo', title: 'every morning', onLimit: 'continue', budget: { usd: 2 } },
        options: { model: 'demo-mini', approvalMode: 'accept-edits' },
      },
    });
    await schedules.getByRole('button', { name: /^Run now/ }).click();
    await schedules.getByRole('link', { name: 'last session' }).waitFor();
    await schedules.getByRole('button', { name: /^Pause/ }).click();
    await schedules.getByRole('button', { name: /^Resume/ }).waitFor();
    await schedules.getByRole('button', { name: /^Remove/ }).click();
    await schedules.getByRole('button', { name: /^Really remove/ }).click();
    await schedules.getByText('No schedules.').waitFor();
    await page.getByRole('region', { name: 'Data retention' }).getByText('daemon.retentionBytes').waitFor();
    const signedIn = page.getByRole('region', { name: 'Signed-in browsers' });
    const others = signedIn.getByRole('listitem').filter({ hasNotText: 'this browser' });
    await others.first().waitFor();
    for (let left = await others.count(); left > 0; left -= 1) {
      await others.first().getByRole('button').click();
      await expect.poll(() => others.count(), { timeout: 30_000 }).toBe(left - 1);
    }
    await other.page.getByText('amux open').waitFor();
    expect(issues).toEqual([]);
  });
});
