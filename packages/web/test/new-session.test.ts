import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { attachFile, DOT_PNG } from './attach-file.ts';
import { executablePath, startSession, useDashboard } from './dashboards.ts';

const SLOW = { timeout: 60_000 };
const NOTES = { name: 'notes.txt', mimeType: 'text/plain', base64: Buffer.from('notes').toString('base64') };
const DOT = { name: 'dot.png', mimeType: 'image/png', base64: DOT_PNG };

interface Row {
  id: string;
  title: string | null;
  onLimit: string;
  approvalMode: string;
  keeperPid: number | null;
  cwd: string;
  options: Record<string, unknown>;
}

const listSessions = (page: Page) =>
  page.evaluate<Row[]>('fetch("/api/v1/sessions").then((answer) => answer.json()).then(({ sessions }) => sessions)');

async function openDialog(page: Page) {
  await page.getByRole('button', { name: 'New session' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'New session' });
  await dialog.waitFor();
  return dialog;
}

describe.skipIf(executablePath === undefined)('new session dialog', () => {
  const dashboard = useDashboard({
    config: { adapters: [fileURLToPath(new URL('../../daemon/test/terminal-adapter.ts', import.meta.url))] },
    programs: {
      'screen-agent':
        '[ "$1" = --version ] && exit 0; echo "here is the screen"; while :; do read -r line || sleep 1; done',
    },
  });

  test('completes a folder by keyboard and closes the list before the dialog on Escape', async () => {
    for (const path of ['levels/alpha-one/.git', 'levels/alpha-two/deep/deeper', 'levels/.hidden'])
      mkdirSync(join(dashboard.work, path), { recursive: true });
    const base = join(dashboard.work, 'levels');
    const { page, issues } = await dashboard.open();
    const dialog = await openDialog(page);
    const folder = dialog.getByRole('combobox', { name: 'Folder' });
    const list = dialog.getByRole('listbox', { name: 'Suggestions' });
    await folder.fill(`${base}/al`);
    await list.getByRole('option', { name: /alpha-one git/ }).waitFor();
    expect(await folder.getAttribute('aria-expanded')).toBe('true');
    // Completes the unambiguous part.
    await folder.press('Tab');
    await expect.poll(() => folder.inputValue(), SLOW).toBe(`${base}/alpha-`);
    await list.getByRole('option', { name: /alpha-two/ }).waitFor();
    await folder.press('ArrowDown');
    await folder.press('ArrowDown');
    const active = list.getByRole('option', { selected: true });
    expect(await active.textContent()).toContain('alpha-two');
    expect(await folder.getAttribute('aria-activedescendant')).toBe(await active.getAttribute('id'));
    await folder.press('Enter');
    expect(await folder.inputValue()).toBe(`${base}/alpha-two/`);
    await list.getByRole('option', { name: /alpha-two\/deep$/ }).waitFor();
    await folder.press('ArrowDown');
    await folder.press('Tab');
    expect(await folder.inputValue()).toBe(`${base}/alpha-two/deep/`);
    await list.getByRole('option', { name: /deeper/ }).click();
    expect(await folder.inputValue()).toBe(`${base}/alpha-two/deep/deeper/`);
    await folder.fill(`${base}/`);
    await list.waitFor();
    expect(await list.getByRole('option', { name: /hidden/ }).count()).toBe(0);
    await folder.press('Escape');
    await list.waitFor({ state: 'detached' });
    expect(await dialog.isVisible()).toBe(true);
    await folder.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(issues).toEqual([]);
  });

  test('completes a folder by taps on a phone without accessibility violations', async () => {
    mkdirSync(join(dashboard.work, 'taps/inner'), { recursive: true });
    const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
    const { page } = await dashboard.open({ ...phone, bypassCSP: true });
    await page.addInitScript(axe.source);
    await page.reload();
    const dialog = await openDialog(page);
    const folder = dialog.getByRole('combobox', { name: 'Folder' });
    await folder.fill(join(dashboard.work, 'tap'));
    await dialog.getByRole('option', { name: /taps$/ }).tap();
    expect(await folder.inputValue()).toBe(`${join(dashboard.work, 'taps')}/`);
    await dialog.getByRole('option', { name: /inner$/ }).waitFor();
    const issues = await page.evaluate<string[]>(
      'axe.run().then(({ violations }) => violations.filter(({ impact }) => /serious|critical/.test(impact)).map(({ id }) => id))',
    );
    expect(issues).toEqual([]);
    await dialog.getByRole('option', { name: /inner$/ }).tap();
    expect(await folder.inputValue()).toBe(`${join(dashboard.work, 'taps/inner')}/`);
    expect(await dialog.evaluate((element) => Reflect.get(element, 'scrollWidth'))).toBeLessThanOrEqual(390);
  });

  test('reports a missing folder before starting and offers a worktree only in a repository', async () => {
    mkdirSync(join(dashboard.work, 'repository/.git/objects'), { recursive: true });
    const { page } = await dashboard.open();
    const before = (await listSessions(page)).length;
    const dialog = await openDialog(page);
    await dialog.getByRole('combobox', { name: 'Agent' }).selectOption('demo');
    const folder = dialog.getByRole('combobox', { name: 'Folder' });
    await folder.fill(join(dashboard.work, 'nowhere'));
    await dialog.getByRole('button', { name: 'Start' }).click();
    await dialog.getByText(`Folder ${join(dashboard.work, 'nowhere')} not found`).waitFor();
    expect(await folder.getAttribute('aria-invalid')).toBe('true');
    // The daemon did not have to reject it.
    expect(await dialog.getByRole('alert').count()).toBe(0);
    expect((await listSessions(page)).length).toBe(before);
    const worktree = dialog.getByLabel('Use a git worktree');
    await folder.fill(join(dashboard.work, 'repository'));
    await worktree.waitFor();
    await dialog.getByText('nowhere not found').waitFor({ state: 'detached' });
    await worktree.check();
    await folder.fill(dashboard.work);
    await worktree.waitFor({ state: 'detached' });
    await dialog.getByText('No worktree: this folder is not in a git repository').waitFor();
    await dialog.getByRole('button', { name: 'Start' }).click();
    await page.getByLabel('Message', { exact: true }).waitFor();
    expect((await listSessions(page)).length).toBe(before + 1);
  });

  test('applies the chosen options but none chosen for another agent', async () => {
    const { page } = await dashboard.open();
    const dialog = await openDialog(page);
    await dialog.getByLabel('Prompt').fill('hello, with choices');
    await dialog.getByLabel('Folder').fill(dashboard.work);
    const agent = dialog.getByRole('combobox', { name: 'Agent' });
    await agent.selectOption('demo');
    const permissions = dialog.getByRole('combobox', { name: 'Permissions' });
    expect(await permissions.inputValue()).toBe('prompt');
    await permissions.selectOption('yolo');
    await dialog.getByRole('combobox', { name: 'At a limit' }).selectOption('continue');
    // This agent has a terminal UI but no permission modes.
    await agent.selectOption('screen');
    await permissions.waitFor({ state: 'detached' });
    await dialog.getByLabel(/terminal UI/).waitFor();
    await agent.selectOption('demo');
    await dialog.getByText(/No terminal: .* has no terminal UI/).waitFor();
    expect(await dialog.getByLabel(/terminal UI/).count()).toBe(0);
    await permissions.selectOption('accept-edits');
    // A model that is not listed.
    await dialog.getByRole('combobox', { name: 'Model' }).selectOption({ label: 'Other…' });
    await dialog.getByRole('combobox', { name: 'Model' }).fill('demo-next');
    await dialog.getByRole('button', { name: 'Start' }).click();
    await page.getByRole('log').getByText('hello, with choices').waitFor();
    const created = (await listSessions(page)).find(({ title }) => title === 'hello, with choices');
    expect(created).toMatchObject({
      ...{ onLimit: 'continue', approvalMode: 'accept-edits', cwd: dashboard.work },
      options: { model: 'demo-next' },
    });
    // The next dialog starts empty.
    const next = await openDialog(page);
    expect(await next.getByLabel('Prompt').inputValue()).toBe('');
    expect(await next.getByRole('combobox', { name: 'Permissions' }).inputValue()).toBe('prompt');
  });

  test('keeps prompt, options and files over Escape and reload, and reports an expired file', async () => {
    const { page, issues } = await dashboard.open();
    const dialog = await openDialog(page);
    await dialog.getByRole('combobox', { name: 'Agent' }).selectOption('demo');
    await dialog.getByLabel('Prompt').fill('a long thought');
    await dialog.getByLabel('Folder').fill(dashboard.work);
    await dialog.getByRole('combobox', { name: 'Permissions' }).selectOption('plan');
    await attachFile(page, 'paste', '.new-prompt', DOT);
    await attachFile(page, 'drop', '.dialog form', NOTES);
    const files = dialog.getByRole('list', { name: 'Attachments' });
    for (const name of ['dot.png', 'notes.txt']) await files.getByText(name).waitFor();
    await files.getByLabel('Uploading').first().waitFor({ state: 'detached' });
    await dialog.getByLabel('Prompt').press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.reload();
    await openDialog(page);
    expect(await dialog.getByLabel('Prompt').inputValue()).toBe('a long thought');
    await expect.poll(() => dialog.getByRole('combobox', { name: 'Permissions' }).inputValue(), SLOW).toBe('plan');
    expect(await dialog.getByLabel('Folder').inputValue()).toBe(dashboard.work);
    for (const name of ['dot.png', 'notes.txt']) await files.getByText(name).waitFor();
    // The daemon deletes files after a while.
    const stored = await page.evaluate<{ files: { id: string; name: string }[] }>(
      'JSON.parse(localStorage.getItem("agent-mux.new-session"))',
    );
    const gone = stored.files.find(({ name }) => name === 'notes.txt');
    rmSync(join(dashboard.work, '../state/agent-mux/daemon/files', `${gone?.id}.json`));
    await page.reload();
    await openDialog(page);
    await page.getByText('notes.txt has expired').waitFor();
    await files.getByText('notes.txt').waitFor({ state: 'detached' });
    await dialog.getByRole('button', { name: 'Start' }).click();
    await page.getByRole('img', { name: 'dot.png' }).waitFor();
    expect(issues.filter((issue) => !issue.includes('404'))).toEqual([]);
  });

  test('clears the draft and works in a browser without storage', async () => {
    const { page, issues } = await dashboard.open();
    let dialog = await openDialog(page);
    await dialog.getByLabel('Prompt').fill('not this');
    await dialog.getByRole('button', { name: 'Clear' }).click();
    await page.reload();
    dialog = await openDialog(page);
    expect(await dialog.getByLabel('Prompt').inputValue()).toBe('');
    await page.context().addInitScript(`for (const name of ['getItem', 'setItem', 'removeItem'])
      Storage.prototype[name] = () => { throw new DOMException('no', 'QuotaExceededError'); };`);
    await page.reload();
    await startSession(page, { prompt: 'hello to a full browser', folder: dashboard.work });
    await page.getByText(/Hello! I am the demo agent/).waitFor();
    const message = page.getByLabel('Message', { exact: true });
    await message.fill('hello again');
    await message.press('Enter');
    await page.getByText(/Hello again!/).waitFor();
    expect(issues).toEqual([]);
  });

  test('keeps pasted and dropped files over a reload and sends them with the message', async () => {
    const { page, issues } = await dashboard.open();
    await startSession(page, { prompt: 'hello', folder: dashboard.work });
    await page.getByText('Hello! I am the demo agent').waitFor();
    const files = page.getByRole('list', { name: 'Attachments' });
    const message = page.getByLabel('Message', { exact: true });
    await message.fill('hello again, with files');
    await attachFile(page, 'paste', '.composer textarea', DOT);
    await attachFile(page, 'drop', '.composer', NOTES);
    for (const name of ['dot.png', 'notes.txt']) await files.getByText(name).waitFor();
    await files.getByLabel('Uploading').first().waitFor({ state: 'detached' });
    await page.reload();
    for (const name of ['dot.png', 'notes.txt']) await files.getByText(name).waitFor();
    expect(await message.inputValue()).toBe('hello again, with files');
    await page.getByRole('button', { name: 'Send' }).click();
    for (const name of [/Thank you for .*dot\.png/, /Thank you for .*notes\.txt/]) await page.getByText(name).waitFor();
    await files.waitFor({ state: 'detached' });
    await page.reload();
    await page.getByText(/Thank you for .*dot\.png/).waitFor();
    expect(await files.count()).toBe(0);
    expect(issues).toEqual([]);
  });

  test('opens a terminal for an agent with a terminal UI and explains its absence otherwise', async () => {
    const { page, issues } = await dashboard.open();
    const dialog = await openDialog(page);
    await dialog.getByRole('combobox', { name: 'Agent' }).selectOption('screen');
    await dialog.getByLabel('Folder').fill(dashboard.work);
    await dialog.getByRole('button', { name: 'Start' }).click();
    await page.getByRole('tab', { name: 'Terminal' }).click();
    await page.getByRole('button', { name: 'Open terminal' }).click();
    await expect
      .poll(() => page.locator('.xterm-rows').textContent({ timeout: 60_000 }), SLOW)
      .toContain('here is the screen');
    await page.goto(dashboard.url);
    await startSession(page, { prompt: 'hello', folder: dashboard.work });
    await page.getByRole('tab', { name: 'Terminal' }).click();
    await page.getByText('has no terminal UI').waitFor();
    expect(await page.getByRole('button', { name: 'Open terminal' }).count()).toBe(0);
    expect(issues).toEqual([]);
  });
});
