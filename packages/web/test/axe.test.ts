import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { executablePath, useDashboard } from './dashboards.ts';
import { EVERYTHING } from './everything.ts';
import { findSerious, loadAxe } from './find-serious.ts';
import { VIEWS, type World } from './views.ts';

const SCREEN =
  '[ "$1" = --version ] && exit 0; echo "the screen of an agent"; while :; do read -r line || continue; echo "said $line"; done';
const SIZES = {
  desktop: { viewport: { width: 1280, height: 800 } },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
};
type Size = keyof typeof SIZES;

test('covers every page of the page list', () => {
  const source = readFileSync(new URL('../src/shell/pages.tsx', import.meta.url), 'utf8');
  const pages = [...source.matchAll(/\bpath: '([^']+)'/g)].map(([, path]) => path);
  expect(pages.length).toBeGreaterThan(5);
  const covered = new Set(Object.values(VIEWS).map(({ page }) => page));
  expect(pages.filter((path) => !covered.has(path ?? ''))).toEqual([]);
});

/** Checks light and dark mode, which differ only in colors. */
async function findIssues(page: Page): Promise<string[]> {
  const wide = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
  const light = await findSerious(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.locator('html[data-theme="dark"]').waitFor({ state: 'attached' });
  const dark = (await findSerious(page, ['color-contrast'])).map((issue) => `dark mode: ${issue}`);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.locator('html:not([data-theme="dark"])').waitFor({ state: 'attached' });
  return [...(wide > 0 ? [`the page is ${wide} px wider than the window`] : []), ...light, ...dark];
}

const APPEARANCE = { colorScheme: 'light', bypassCSP: true, reducedMotion: 'reduce' } as const;

describe.skipIf(executablePath === undefined)('accessibility', () => {
  const dashboard = useDashboard({
    scripts: EVERYTHING,
    config: { adapters: [fileURLToPath(new URL('../../daemon/test/terminal-adapter.ts', import.meta.url))] },
    programs: { 'screen-agent': SCREEN },
  });
  let world: Promise<World> | undefined;

  async function start(agent: string, prompt: string, ...more: string[]): Promise<string> {
    const { id } = await dashboard.amux('new', prompt, '-a', agent, '-C', dashboard.work, ...more);
    return String(id);
  }

  /** Sessions with open requests, a failure, changes, a terminal and a limit. */
  async function createWorld(): Promise<World> {
    const read = await start('approving', 'go');
    const asking = await start('asking', 'go');
    await start('everything', 'go');
    const repository = join(dashboard.work, 'repository');
    mkdirSync(join(repository, 'src'), { recursive: true });
    writeFileSync(join(repository, 'src', 'main.ts'), 'export const one = 1;\nexport const two = 1;\n');
    const git = (...args: string[]) =>
      execFileSync('git', ['-C', repository, '-c', 'user.name=A', '-c', 'user.email=a@localhost', ...args]);
    for (const args of [
      ['init', '-q', '-b', 'main'],
      ['add', '.'],
      ['commit', '-q', '-m', 'first'],
    ])
      git(...args);
    const changed = await dashboard.amux('new', '-a', 'demo', '--worktree', '-C', repository, '--title', 'a change');
    writeFileSync(join(String(changed.cwd), 'src', 'main.ts'), 'export const one = 1;\nexport const two = 2;\n');
    writeFileSync(join(String(changed.cwd), 'new.md'), '# New\n');
    const screen = await start('screen', 'hello', '--terminal');
    // The run prints a line for each event.
    await dashboard.amux('run', '-a', 'demo', 'say hello', '--cwd', dashboard.work, '--yolo').catch(() => undefined);
    const failed = await start('demo', 'fail auth');
    await start('demo', 'fail rate limit for 7200s');
    const { page } = await dashboard.open();
    await expect.poll(() => page.getByRole('article').count(), { timeout: 90_000 }).toBeGreaterThanOrEqual(4);
    await page.goto(`${dashboard.url}/history?q=hello`);
    const stored = await page.getByRole('main').getByRole('listitem').getByRole('link').first().getAttribute('href');
    await page.context().close();
    return { url: dashboard.url, read, asking, failed, screen, changed: String(changed.id), stored: String(stored) };
  }

  async function openWith(size: Size): Promise<Page> {
    const { page } = await dashboard.open({ ...SIZES[size], ...APPEARANCE });
    await loadAxe(page);
    return page;
  }

  test.each(['desktop', 'phone'] as const)('has no serious violations in empty states: %s', async (size) => {
    const found: Record<string, string[]> = {};
    const page = await openWith(size);
    for (const path of ['/', '/sessions', '/history', '/usage', '/audit']) {
      await page.goto(`${dashboard.url}${path}`);
      await page.getByRole('main').getByRole('heading').first().waitFor();
      found[path] = await findIssues(page);
    }
    const { page: stranger } = await dashboard.openSignedOut({ ...SIZES[size], ...APPEARANCE });
    await loadAxe(stranger);
    await stranger.goto(dashboard.url);
    await stranger.getByText('amux open').first().waitFor();
    found['sign-in'] = await findIssues(stranger);
    expect(Object.entries(found).filter(([, issues]) => issues.length > 0)).toEqual([]);
  });

  test.each(['desktop', 'phone'] as const)(
    'has no serious violations in any view: %s',
    { timeout: 600_000 },
    async (size) => {
      world ??= createWorld();
      const ready = await world;
      const page = await openWith(size);
      const found: Record<string, string[]> = {};
      for (const [name, { open }] of Object.entries(VIEWS)) {
        found[name] = await open(page, ready).then(
          () => findIssues(page),
          (error: unknown) => [`could not be opened: ${error}`],
        );
      }
      expect(Object.entries(found).filter(([, issues]) => issues.length > 0)).toEqual([]);
    },
  );

  test('has no serious violations while the daemon is down', async () => {
    const pages = await Promise.all((['desktop', 'phone'] as const).map(openWith));
    for (const page of pages) await page.reload();
    await dashboard.kill();
    const found: string[][] = [];
    for (const page of pages) {
      await page.getByText('Can’t reach the daemon').first().waitFor();
      found.push(await findIssues(page));
    }
    expect(found.flat()).toEqual([]);
    await dashboard.start();
  });
});
