import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { beginSession, executablePath, useDashboard } from './dashboards.ts';

const MANY = 5_000;
/** More would be a list that is drawn whole. */
const MOST_ROWS = 120;

type Row = Record<string, unknown> & { id: string; rev: number };

/** Makes many of the one that there is: what the page does with them is asked here, not how they came to be. */
async function multiply(page: Page): Promise<void> {
  await page.route('**/api/v1/sessions?*', async (route) => {
    const answer = await route.fetch();
    const { sessions } = (await answer.json()) as { sessions: Row[] };
    const [one] = sessions;
    if (!one) throw new Error('there is no session to make more of');
    const many = Array.from({ length: MANY }, (_, at) => ({
      ...one,
      ...(at === 0 ? {} : { id: `made${at}`, title: `Made up ${at}`, lastActiveAt: Number(one.lastActiveAt) - at }),
      ...(at % 2 === 0 ? {} : { cwd: '/srv/other', workspace: { kind: 'folder', path: '/srv/other' } }),
    }));
    await route.fulfill({ json: { sessions: many, cursor: null } });
  });
}

describe.skipIf(executablePath === undefined)('thousands of sessions', () => {
  const dashboard = useDashboard();

  test('are found by state, project and words, drawn only where they are seen, and stepped through by keys', async () => {
    const { page, faults } = await dashboard.open();
    await beginSession(page, { prompt: 'hello', folder: dashboard.work });
    await page.getByText('Hello! I am the demo agent').waitFor();
    await multiply(page);
    await page.goto(dashboard.url);
    const all = page.getByRole('link', { name: `Show all ${MANY.toLocaleString('en')}` });
    await all.click();
    await page.waitForURL(/\/sessions\?state=done/);
    await page.getByRole('heading', { name: `Sessions ${MANY.toLocaleString('en')}` }).waitFor();
    const rows = page.getByRole('main').locator('.row');
    expect(await rows.count()).toBeLessThan(MOST_ROWS);
    await page.locator('main').evaluate((main) => {
      main.scrollTop = main.scrollHeight;
    });
    await page.getByText(`Made up ${MANY - 1}`, { exact: true }).waitFor();
    expect(await rows.count()).toBeLessThan(MOST_ROWS);
    await page.locator('main').evaluate((main) => {
      main.scrollTop = 0;
    });
    await page.getByText('Made up 3', { exact: true }).waitFor();
    for (let step = 0; step < 60; step += 1) await page.keyboard.press('j');
    await expect
      .poll(() => page.evaluate<string>('document.activeElement?.getAttribute("aria-posinset")'), { timeout: 30_000 })
      .toBe('60');

    await page.getByLabel('Project').selectOption('/srv/other');
    await page.getByRole('heading', { name: `Sessions ${(MANY / 2).toLocaleString('en')}` }).waitFor();
    await page.getByRole('searchbox').fill('made up 4321');
    await page.getByRole('heading', { name: 'Sessions 1', exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.get('project')).toBe('/srv/other');
    expect(faults).toEqual([]);
  });
});
