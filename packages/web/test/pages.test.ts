import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { beginSession, executablePath, useDashboard } from './dashboards.ts';

/** An npm that installs a Codex which only knows its version. */
const NPM = `#!/bin/sh
echo "fetching $*"
printf '#!/bin/sh\\necho "codex-cli 9.9.9"\\n' > "$(dirname "$0")/codex"
chmod +x "$(dirname "$0")/codex"
echo "added 1 package"
`;

describe.skipIf(executablePath === undefined)('history, usage, agents, decisions and settings', () => {
  const bin = mkdtempSync(join(tmpdir(), 'bin-'));
  writeFileSync(join(bin, 'npm'), NPM);
  chmodSync(join(bin, 'npm'), 0o755);
  afterAll(() => rmSync(bin, { recursive: true, force: true }));
  const dashboard = useDashboard({ bin });

  test('what an agent has stored is found by its words, read, and gone on with here', async () => {
    const folder = join(dashboard.work, 'elsewhere');
    mkdirSync(folder);
    // Begun in a terminal, without the daemon.
    await dashboard
      .amux('run', '-a', 'demo', 'say hello to the walrus', '--cwd', folder, '--yolo')
      .catch(() => undefined);
    const { page, faults } = await dashboard.open();
    await page.keyboard.press('g');
    await page.keyboard.press('h');
    await page.getByRole('searchbox').fill('walrus');
    await page.getByRole('link', { name: /walrus/ }).click();
    await page.getByRole('log').getByText('say hello to the walrus').waitFor();
    await page.getByRole('button', { name: 'Go on with it here' }).click();
    await page.getByLabel('Message', { exact: true }).fill('hello again');
    await page.keyboard.press('Enter');
    await page
      .getByText(/Hello again!|Hello! I am/)
      .first()
      .waitFor();
    await page.goto(`${dashboard.url}/history?q=nothing-has-this-word`);
    await page.getByRole('heading', { name: 'Nothing has these words' }).waitFor();
    expect(faults).toEqual([]);
  });

  test('a search result opens at its match, which is marked', async () => {
    const { id } = await dashboard.amux('new', 'hello from a narwhal', '-a', 'demo', '-C', dashboard.work);
    for (let times = 0; times < 8; times += 1) await dashboard.amux('send', String(id), `hello, message ${times}`);
    const { page, faults } = await dashboard.open({ viewport: { width: 900, height: 420 } });
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
    expect(faults).toEqual([]);
  });

  test('what was used is a chart with a table behind it', async () => {
    const { page, faults } = await dashboard.open();
    await beginSession(page, { prompt: 'hello', folder: dashboard.work });
    await page.getByText('Hello! I am the demo agent').waitFor();
    await expect
      .poll(
        async () => {
          await page.goto(`${dashboard.url}/usage`);
          await page.getByRole('heading', { name: /By day|Nothing was used/ }).waitFor();
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
    expect(faults).toEqual([]);
  });

  test('an agent is installed from here: the commands first, then how it goes, then its version', async () => {
    const { page, faults } = await dashboard.open();
    await page.goto(`${dashboard.url}/agents`);
    await page.getByRole('button', { name: /^Install Codex/ }).click();
    const dialog = page.getByRole('dialog', { name: /Install Codex/ });
    await dialog.getByText('npm install -g @openai/codex').waitFor();
    await dialog.getByRole('button', { name: 'Run it' }).click();
    await dialog.getByText('added 1 package').waitFor();
    await dialog.getByRole('status').getByText(/^Done/).waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('listitem').filter({ hasText: 'Codex' }).getByText('9.9.9').first().waitFor();
    await page
      .getByRole('link', { name: /^Codex/ })
      .first()
      .click();
    await page
      .getByRole('table', { name: /What it can do/ })
      .getByRole('rowheader', { name: 'resume', exact: true })
      .waitFor();
    await page.getByRole('heading', { name: 'Login' }).waitFor();
    expect(faults).toEqual([]);
  });

  test('an agent is verified from here: what it takes first, then case by case; what came of it outlives the daemon', {
    timeout: 300_000,
  }, async () => {
    const { page, faults } = await dashboard.open();
    await page.goto(`${dashboard.url}/agents/codex`);
    await page.getByRole('button', { name: 'Verify…' }).click();
    const dialog = page.getByRole('dialog', { name: /Verify Codex/ });
    await dialog.getByText('it costs nothing').waitFor();
    await dialog.getByText('The cases').click();
    await dialog.getByRole('listitem').nth(5).waitFor();
    await dialog.getByRole('button', { name: 'Verify', exact: true }).click();
    await dialog
      .getByRole('status')
      .getByText(/tried, for/)
      .waitFor();
    // What is installed here only knows its version: nothing holds.
    await dialog.getByRole('row').filter({ hasText: 'fails' }).first().waitFor({ timeout: 120_000 });
    await dialog.getByRole('button', { name: 'Stop it' }).click();
    await dialog.getByText(/it was cancelled/).waitFor({ timeout: 60_000 });
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    const verified = page.getByRole('region', { name: 'Verified here' });
    await verified.getByText(/^0 of \d+ hold, not finished/).waitFor();
    await dashboard.kill();
    await dashboard.start();
    await page.reload();
    await verified.getByText(/^0 of \d+ hold, not finished/).waitFor();
    await verified.getByRole('row').filter({ hasText: 'fails' }).first().waitFor();
    await page.goto(`${dashboard.url}/agents`);
    await page
      .getByRole('listitem')
      .filter({ hasText: 'Codex' })
      .getByText(/^0 of \d+ hold/)
      .waitFor();
    expect(faults).toEqual([]);
  });

  test('a rule is added, tried and removed; what it decided is told with its name', async () => {
    const { page, faults } = await dashboard.open();
    await page.goto(`${dashboard.url}/settings`);
    await page.getByText('There is no rule').waitFor();
    await page.getByText('Add a rule').click();
    await page.getByLabel('Decision').selectOption('allow');
    await page.getByRole('alert').getByText('without asking').waitFor();
    await page.getByLabel('What').first().selectOption('edit');
    await page.getByRole('button', { name: 'Add the rule' }).click();
    const rules = page.getByRole('region', { name: 'Rules' });
    await rules.getByText('allow edit').waitFor();
    await page.getByText('Try a request').click();
    await rules.getByLabel('Command, path or address').fill('rm -rf /');
    await rules.getByRole('button', { name: 'What would happen?' }).click();
    await rules.getByText(/^ask:/).waitFor();
    await beginSession(page, { prompt: 'write ruled.txt', folder: dashboard.work });
    await page.getByText('ruled.txt').first().waitFor();
    await page.goto(`${dashboard.url}/audit`);
    await page
      .getByText(/by rule /)
      .first()
      .waitFor();
    await page.goto(`${dashboard.url}/settings`);
    await rules.getByRole('button', { name: /Remove the rule/ }).click();
    await page.getByText('There is no rule').waitFor();
    expect(faults).toEqual([]);
  });

  test('every decision can be read, back to the first, and says who it was', async () => {
    const { page, faults } = await dashboard.open();
    await beginSession(page, { prompt: 'write decided.txt', folder: dashboard.work });
    await page.getByRole('button', { name: 'Allow' }).first().click();
    await page.getByText('Wrote agent-mux-demo/decided.txt').first().waitFor();
    await page.goto(`${dashboard.url}/audit`);
    const decided = page.getByRole('main').getByRole('listitem').filter({ hasText: 'decided.txt' });
    await decided.getByText('by this browser').waitFor();
    await decided.getByRole('link', { name: /decided/ }).waitFor();
    const id = await decided.getByRole('link').getAttribute('href');
    // More than a page has.
    await page.evaluate(async (path) => {
      for (let at = 0; at < 520; at += 1)
        await fetch(`/api/v1${path}`, {
          method: 'PATCH',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ title: `the title ${at}` }),
        });
    }, id);
    await page.goto(`${dashboard.url}/audit?show=all&q=decided.txt`);
    await page.getByRole('heading', { name: 'Nothing here is like that' }).waitFor();
    await page.getByRole('button', { name: /^Older than/ }).click();
    await decided.first().waitFor();
    await page.getByText('This is all.').waitFor();
    await page.getByLabel('By', { exact: true }).selectOption('rules');
    await decided.first().waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).toBe('?show=all&q=decided.txt&by=rules');
    expect(faults).toEqual([]);
  });

  test('a schedule is made, run, paused and removed; a browser is signed out', async () => {
    const other = await dashboard.open();
    const { page, faults } = await dashboard.open();
    await page.goto(`${dashboard.url}/settings`);
    await page.getByText('Add a schedule').click();
    const schedules = page.getByRole('region', { name: 'Schedules' });
    await schedules.getByRole('combobox', { name: 'Agent' }).selectOption('demo');
    await schedules.getByLabel('Folder').fill(dashboard.work);
    await schedules.getByLabel('Prompt').fill('hello from the clock');
    await schedules.getByRole('combobox', { name: 'Model' }).selectOption('demo-mini');
    await schedules.getByRole('combobox', { name: 'Permissions' }).selectOption('accept-edits');
    await schedules.getByRole('combobox', { name: 'At a limit' }).selectOption('wait');
    await schedules.getByRole('combobox', { name: 'If the last one still runs' }).selectOption('allow');
    await schedules.getByText('Title and budget').click();
    await schedules.getByLabel('Title').fill('every morning');
    await schedules.getByLabel('Dollars').fill('2');
    await schedules.getByRole('button', { name: 'Add the schedule' }).click();
    await schedules.getByText('every morning').waitFor();
    const [made] = await page.evaluate<unknown[]>(
      "fetch('/api/v1/schedules').then((answer) => answer.json()).then(({ schedules }) => schedules)",
    );
    expect(made).toMatchObject({
      overlap: 'allow',
      session: {
        ...{ agent: 'demo', title: 'every morning', onLimit: 'wait', budget: { usd: 2 } },
        options: { model: 'demo-mini', approvalMode: 'accept-edits' },
      },
    });
    await schedules.getByRole('button', { name: /^Run now/ }).click();
    await schedules.getByRole('link', { name: 'its session' }).waitFor();
    await schedules.getByRole('button', { name: /^Pause/ }).click();
    await schedules.getByRole('button', { name: /^Resume/ }).waitFor();
    await schedules.getByRole('button', { name: /^Remove/ }).click();
    await schedules.getByRole('button', { name: /^Really remove/ }).click();
    await schedules.getByText('None.').waitFor();
    await page.getByRole('region', { name: 'What is kept' }).getByText('daemon.keepBytes').waitFor();
    const signedIn = page.getByRole('region', { name: /Browsers/ });
    const others = signedIn.getByRole('listitem').filter({ hasNotText: 'this one' });
    await others.first().waitFor();
    for (let left = await others.count(); left > 0; left -= 1) {
      await others.first().getByRole('button').click();
      await expect.poll(() => others.count(), { timeout: 30_000 }).toBe(left - 1);
    }
    await other.page.getByText('amux open').waitFor();
    expect(faults).toEqual([]);
  });
});
