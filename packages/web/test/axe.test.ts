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
  desk: { viewport: { width: 1280, height: 800 } },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
};
type Size = keyof typeof SIZES;

test('every page of the table of pages is looked at', () => {
  const source = readFileSync(new URL('../src/shell/pages.tsx', import.meta.url), 'utf8');
  const pages = [...source.matchAll(/\bpath: '([^']+)'/g)].map(([, path]) => path);
  expect(pages.length).toBeGreaterThan(5);
  const looked = new Set(Object.values(VIEWS).map(({ page }) => page));
  expect(pages.filter((path) => !looked.has(path ?? ''))).toEqual([]);
});

/** In the light and in the dark: between the two only colours differ. */
async function findFaults(page: Page): Promise<string[]> {
  const wide = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
  const light = await findSerious(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.locator('html[data-theme="dark"]').waitFor({ state: 'attached' });
  const dark = (await findSerious(page, ['color-contrast'])).map((fault) => `in the dark: ${fault}`);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.locator('html:not([data-theme="dark"])').waitFor({ state: 'attached' });
  return [...(wide > 0 ? [`it is ${wide} px wider than the window`] : []), ...light, ...dark];
}

const LOOK = { colorScheme: 'light', bypassCSP: true, reducedMotion: 'reduce' } as const;

describe.skipIf(executablePath === undefined)('for those who hear, or cannot tell colours', () => {
  const dashboard = useDashboard({
    scripts: EVERYTHING,
    config: { adapters: [fileURLToPath(new URL('../../daemon/test/terminal-adapter.ts', import.meta.url))] },
    programs: { 'screen-agent': SCREEN },
  });
  let world: Promise<World> | undefined;

  async function begin(agent: string, prompt: string, ...more: string[]): Promise<string> {
    const { id } = await dashboard.amux('new', prompt, '-a', agent, '-C', dashboard.work, ...more);
    return String(id);
  }

  /** A session with what waits for an answer, one that failed, one with changes, one in a terminal, one that is limited. */
  async function makeWorld(): Promise<World> {
    const read = await begin('approving', 'go');
    const asking = await begin('asking', 'go');
    await begin('everything', 'go');
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
    const screen = await begin('screen', 'hello', '--terminal');
    // It prints a line for each event.
    await dashboard.amux('run', '-a', 'demo', 'say hello', '--cwd', dashboard.work, '--yolo').catch(() => undefined);
    const failed = await begin('demo', 'fail auth');
    await begin('demo', 'fail rate limit for 7200s');
    const { page } = await dashboard.open();
    await expect.poll(() => page.getByRole('article').count(), { timeout: 90_000 }).toBeGreaterThanOrEqual(4);
    await page.goto(`${dashboard.url}/history?q=hello`);
    const stored = await page.getByRole('main').getByRole('listitem').getByRole('link').first().getAttribute('href');
    await page.context().close();
    return { url: dashboard.url, read, asking, failed, screen, changed: String(changed.id), stored: String(stored) };
  }

  async function openWith(size: Size): Promise<Page> {
    const { page } = await dashboard.open({ ...SIZES[size], ...LOOK });
    await loadAxe(page);
    return page;
  }

  test.each(['desk', 'phone'] as const)('nothing serious where there is nothing yet: %s', async (size) => {
    const found: Record<string, string[]> = {};
    const page = await openWith(size);
    for (const path of ['/', '/sessions', '/history', '/usage', '/audit']) {
      await page.goto(`${dashboard.url}${path}`);
      await page.getByRole('main').getByRole('heading').first().waitFor();
      found[path] = await findFaults(page);
    }
    const { page: stranger } = await dashboard.openStranger({ ...SIZES[size], ...LOOK });
    await loadAxe(stranger);
    await stranger.goto(dashboard.url);
    await stranger.getByText('amux open').first().waitFor();
    found['sign-in'] = await findFaults(stranger);
    expect(Object.entries(found).filter(([, faults]) => faults.length > 0)).toEqual([]);
  });

  test.each(['desk', 'phone'] as const)('nothing serious in any view: %s', { timeout: 600_000 }, async (size) => {
    world ??= makeWorld();
    const made = await world;
    const page = await openWith(size);
    const found: Record<string, string[]> = {};
    for (const [name, { open }] of Object.entries(VIEWS)) {
      found[name] = await open(page, made).then(
        () => findFaults(page),
        (error: unknown) => [`it cannot be opened: ${error}`],
      );
    }
    expect(Object.entries(found).filter(([, faults]) => faults.length > 0)).toEqual([]);
  });

  test('nothing serious while the daemon is away', async () => {
    const pages = await Promise.all((['desk', 'phone'] as const).map(openWith));
    for (const page of pages) await page.reload();
    await dashboard.kill();
    const found: string[][] = [];
    for (const page of pages) {
      await page.getByText('The daemon cannot be reached').first().waitFor();
      found.push(await findFaults(page));
    }
    expect(found.flat()).toEqual([]);
    await dashboard.start();
  });
});
