import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { executablePath, startSession, useDashboard } from './dashboards.ts';

const MANY = 5_000;
/** A higher number would mean that the list is not virtualized. */
const MAX_ROWS = 120;

type Row = Record<string, unknown> & { id: string; rev: number };

/** Replaces the session list by many copies of the one real session. */
async function multiply(page: Page): Promise<void> {
  await page.route('**/api/v1/sessions?*', async (route) => {
    const response = await route.fetch();
    const { sessions } = (await response.json()) as { sessions: Row[] };
    const [one] = sessions;
    if (!one) throw new Error('no session to copy');
    const many = Array.from({ length: MANY }, (_, at) => ({
      ...one,
      ...(at === 0 ? {} : { id: `copy${at}`, title: `Copy ${at}`, lastActiveAt: Number(one.lastActiveAt) - at }),
      ...(at % 2 === 0 ? {} : { cwd: '/srv/other', workspace: { kind: 'folder', path: '/srv/other' } }),
    }));
    await route.fulfill({ json: { sessions: many, nextCursor: null } });
  });
}

describe.skipIf(executablePath === undefined)('thousands of sessions', () => {
  const dashboard = useDashboard();

  test('are filtered by state, project and text, virtualized, and navigable by keyboard', async () => {
    const { page, issues } = await dashboard.open();
    await startSession(page, { prompt: 'hello', folder: dashboard.work });
    await page.getByText('Hello! I am the demo agent').waitFor();
    await multiply(page);
    await page.goto(dashboard.url);
    const all = page.getByRole('link', { name: `Show all ${MANY.toLocaleString('en')}` });
    await all.click();
    await page.waitForURL(/\/sessions\?state=done/);
    await page.getByRole('heading', { name: `Sessions ${MANY.toLocaleString('en')}` }).waitFor();
    const rows = page.getByRole('main').locator('.row');
    expect(await rows.count()).toBeLessThan(MAX_ROWS);
    await page.locator('main').evaluate((main) => {
      main.scrollTop = main.scrollHeight;
    });
    await page.getByText(`Copy ${MANY - 1}`, { exact: true }).waitFor();
    expect(await rows.count()).toBeLessThan(MAX_ROWS);
    await page.locator('main').evaluate((main) => {
      main.scrollTop = 0;
    });
    await page.getByText('Copy 3', { exact: true }).waitFor();
    for (let step = 0; step < 60; step += 1) await page.keyboard.press('j');
    await expect
      .poll(() => page.evaluate<string>('document.activeElement?.getAttribute("aria-posinset")'), { timeout: 30_000 })
      .toBe('60');

    await page.getByLabel('Project').selectOption('/srv/other');
    await page.getByRole('heading', { name: `Sessions ${(MANY / 2).toLocaleString('en')}` }).waitFor();
    await page.getByRole('searchbox').fill('copy 4321');
    await page.getByRole('heading', { name: 'Sessions 1', exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.get('project')).toBe('/srv/other');
    expect(issues).toEqual([]);
  });
});
