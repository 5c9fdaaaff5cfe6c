import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { executablePath, useDashboard } from './dashboards.ts';

describe.skipIf(executablePath === undefined)('changes view', () => {
  const dashboard = useDashboard();

  function createRepository(name: string): string {
    const path = join(dashboard.work, name);
    mkdirSync(join(path, 'src'), { recursive: true });
    writeFileSync(join(path, 'greeting.txt'), 'one\ntwo\nthree\n');
    writeFileSync(join(path, 'src', 'main.txt'), 'the start\n');
    const git = (...args: string[]) =>
      execFileSync('git', ['-C', path, '-c', 'user.name=A', '-c', 'user.email=a@localhost', ...args]);
    git('init', '-q', '-b', 'main');
    git('add', '.');
    git('commit', '-q', '-m', 'first');
    return path;
  }

  async function startWorktree(repository: string): Promise<{ id: string; path: string }> {
    const session = await dashboard.amux('new', '-a', 'demo', '--worktree', '-C', repository, '--title', 'a change');
    return { id: String(session.id), path: String(session.cwd) };
  }

  async function finish(page: Page, step: 'Commit' | 'Merge'): Promise<void> {
    await page.getByRole('button', { name: `${step}…` }).click();
    await page.getByRole('dialog', { name: step }).getByRole('button', { name: step, exact: true }).click();
  }

  test('shows worktree changes line by line, then commits and merges them', async () => {
    const repository = createRepository('merged');
    const { id, path } = await startWorktree(repository);
    const { page, issues } = await dashboard.open();
    await page.goto(`${dashboard.url}/sessions/${id}?view=changes`);
    await page.getByRole('heading', { name: 'No changes' }).waitFor();
    await page.getByText(/^Changes of this session only: everything on amux\/\S+ since it started from main/).waitFor();
    writeFileSync(join(path, 'greeting.txt'), 'one\n2\nthree\n');
    writeFileSync(join(path, 'new.txt'), 'it is new\n');
    await page.keyboard.press('r');
    const changed = page.getByRole('region', { name: 'greeting.txt' });
    await changed.waitFor();
    expect(await changed.locator('[data-kind="removed"]').textContent()).toContain('two');
    expect(await changed.locator('[data-kind="added"]').textContent()).toContain('2');
    await page.getByRole('region', { name: 'new.txt' }).getByText('it is new').waitFor();
    await finish(page, 'Commit');
    await page.getByText(/^Committed [0-9a-f]{10}$/).waitFor();
    await page.getByText(/^Committed to amux\/\S+ as [0-9a-f]{10} now\.$/).waitFor();
    expect(readFileSync(join(repository, 'greeting.txt'), 'utf8')).toContain('two');
    await finish(page, 'Merge');
    await page.getByText('Merged into main', { exact: true }).waitFor();
    expect(readFileSync(join(repository, 'greeting.txt'), 'utf8')).toBe('one\n2\nthree\n');
    expect(existsSync(join(repository, 'new.txt'))).toBe(true);
    expect(issues).toEqual([]);
  });

  test('commits and merges in one step', async () => {
    const repository = createRepository('one-step');
    const { id, path } = await startWorktree(repository);
    writeFileSync(join(path, 'new.txt'), 'it is new\n');
    const { page, issues } = await dashboard.open();
    await page.goto(`${dashboard.url}/sessions/${id}?view=changes`);
    await page.getByRole('region', { name: 'new.txt' }).waitFor();
    await finish(page, 'Merge');
    await page.getByText(/^Merged into main as [0-9a-f]{10} now\. Changes made after that are not in it\.$/).waitFor();
    expect(readFileSync(join(repository, 'new.txt'), 'utf8')).toBe('it is new\n');
    expect(execFileSync('git', ['-C', path, 'status', '--porcelain'], { encoding: 'utf8' })).toBe('');
    expect(issues).toEqual([]);
  });

  test('attributes changes of a shared folder to all of its sessions', async () => {
    const repository = createRepository('shared');
    writeFileSync(join(repository, 'greeting.txt'), 'by the person\n');
    const [first, second] = [
      await dashboard.amux('new', '-a', 'demo', '-C', repository, '--title', 'the first of two'),
      await dashboard.amux('new', '-a', 'demo', '-C', join(repository, 'src'), '--title', 'the second of two'),
    ];
    const { page } = await dashboard.open();
    await page.goto(`${dashboard.url}/sessions/${first.id}?view=changes`);
    await page
      .getByText(/^All uncommitted changes in shared since [0-9a-f]{10}, made by this session, other sessions/)
      .waitFor();
    await page.getByText('Another session works in this folder').getByText('the second of two').click();
    await page.waitForURL(new RegExp(`/sessions/${second.id}`));
  });

  test('reports a merge conflict with a hint and saves discarded work on a ref', async () => {
    const repository = createRepository('conflict');
    const { id, path } = await startWorktree(repository);
    writeFileSync(join(path, 'greeting.txt'), 'one\nours\nthree\n');
    writeFileSync(join(repository, 'greeting.txt'), 'one\ntheirs\nthree\n');
    const author = ['-c', 'user.name=A', '-c', 'user.email=a@localhost'];
    execFileSync('git', ['-C', repository, ...author, 'commit', '-q', '-a', '-m', 'another']);
    const { page } = await dashboard.open();
    await page.goto(`${dashboard.url}/sessions/${id}?view=changes`);
    await finish(page, 'Commit');
    await page
      .getByText(/^Committed/)
      .first()
      .waitFor();
    await finish(page, 'Merge');
    const alert = page.getByRole('alert');
    await alert.getByText(/conflicts with .* in greeting\.txt/).waitFor();
    await alert.getByText(/ask the agent to merge main into its branch/).waitFor();
    expect(readFileSync(join(repository, 'greeting.txt'), 'utf8')).toContain('theirs');

    await page.getByRole('button', { name: 'Discard…' }).click();
    await page.getByRole('dialog').getByText('saved on a ref').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard', exact: true }).click();
    const saved = await page.getByText(/Saved on refs\//).textContent();
    await page.getByRole('heading', { name: 'No changes' }).waitFor();
    expect(readFileSync(join(path, 'greeting.txt'), 'utf8')).toBe('one\ntwo\nthree\n');
    const ref = /refs\/\S+/.exec(saved ?? '')?.[0] ?? '';
    expect(execFileSync('git', ['-C', repository, 'show', `${ref}:greeting.txt`], { encoding: 'utf8' })).toContain(
      'ours',
    );
  });

  test('shows all files of the folder', async () => {
    const { id } = await startWorktree(createRepository('tree'));
    const { page } = await dashboard.open();
    await page.goto(`${dashboard.url}/sessions/${id}?view=changes`);
    await page.getByRole('button', { name: 'All files' }).click();
    const files = page.getByRole('navigation', { name: 'Files' });
    await files.getByRole('button', { name: 'src' }).click();
    await files.getByRole('button', { name: 'main.txt' }).click();
    await page.getByText('the start').waitFor();
  });
});
