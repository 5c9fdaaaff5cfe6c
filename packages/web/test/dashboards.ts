import type { Page } from 'playwright-core';
import { afterAll, beforeAll, vi } from 'vitest';
import { type Dashboard, type DashboardOptions, executablePath, openDashboard } from './open-dashboard.ts';

export { beginSession } from './begin-session.ts';
export { executablePath };

if (executablePath === undefined) console.warn('no chromium is on PATH: the tests of the dashboard are left out');

/** One for all tests of the file; nothing of it is left afterwards. */
export function useDashboard(options: DashboardOptions = {}): Omit<Dashboard, 'stop'> {
  vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
  let opened: Dashboard | undefined;
  const now = (): Dashboard => {
    if (!opened) throw new Error('the dashboard is there within tests only');
    return opened;
  };
  beforeAll(async () => {
    opened = await openDashboard(options);
  });
  afterAll(() => opened?.stop());
  return {
    get url() {
      return now().url;
    },
    get work() {
      return now().work;
    },
    amux: (...args) => now().amux(...args),
    run: (args, env) => now().run(args, env),
    open: (options) => now().open(options),
    openStranger: (options) => now().openStranger(options),
    kill: () => now().kill(),
    start: () => now().start(),
  };
}

/** The daemon's rows, as a page of its own reads them. */
export async function readSessions(page: Page): Promise<{ id: string; lastSeq: number }[]> {
  return await page.evaluate<{ id: string; lastSeq: number }[]>(
    'fetch("/api/v1/sessions").then((answer) => answer.json()).then(({ sessions }) => sessions)',
  );
}
